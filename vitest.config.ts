import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    // Vite does not follow a package's own name; these are the `@cepa/source` exports of package.json.
    alias: [
      { find: /^cepa$/, replacement: at('./src/index.ts') },
      { find: /^cepa\/registry$/, replacement: at('./src/registry.ts') },
      { find: /^cepa\/middleware$/, replacement: at('./middleware/index.ts') },
      { find: /^cepa\/middleware\/(.+)$/, replacement: at('./middleware/$1.ts') },
      { find: /^cepa\/(models|stores|checkpointers)\/(.+)$/, replacement: at('./src/$1/$2.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    // On a machine that builds for others a bound on time may be missed once; a fault is there the next time too.
    retry: process.env.CI ? 2 : 0,
  },
})
