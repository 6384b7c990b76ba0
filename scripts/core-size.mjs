import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// `openai` and zod are the app's own choice and not counted.
const OUTSIDE = ['openai', 'openai/*', 'zod', 'zod/*']

/** What is loaded by `import()` with its first use is a file of its own, and not counted. */
const later = {
  name: 'later',
  setup: ({ onResolve }) => {
    onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined))
  },
}

/**
 * Bundles the core as an app would, for a browser, so a `node:` module is an error. Gives the bytes of what loads with
 * the entry, minified and gzipped, and how much of the minified bytes comes from which package.
 */
export async function coreSize(entry, outside = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: [...OUTSIDE, ...outside],
    plugins: [later],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const [{ contents }] = outputFiles
  const [{ inputs }] = Object.values(metafile.outputs)
  const packages = {}
  for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
    const owner = packageOf(input)
    packages[owner] = (packages[owner] ?? 0) + bytesInOutput
  }
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length, packages }
}

const packageOf = (input) => input.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'cepa'
