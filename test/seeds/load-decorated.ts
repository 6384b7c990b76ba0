import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * The classes of `decorated.ts`, compiled as an app would: vitest's own compiler leaves decorators as they are. They
 * come with a copy of Cepa of their own, so these tests also show that two copies understand each other.
 */
export async function loadDecorated(): Promise<typeof import('./decorated.js')> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./decorated.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
  })
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}
