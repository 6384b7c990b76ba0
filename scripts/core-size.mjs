import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// `openai` and zod are the app's own choice and not counted. A provider is loaded by `import()` on first use: with
// splitting on, it is a chunk of its own.
const OUTSIDE = ['openai', 'openai/*', 'zod', 'zod/*']

/**
 * Bundles the core as an app would, for a browser, so a `node:` module is an error. Gives the bytes of what loads with
 * the entry, minified and gzipped, and how much of the minified bytes comes from which package.
 */
export async function coreSize(entry, outside = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    outdir: 'out',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: [...OUTSIDE, ...outside],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const paths = Object.keys(metafile.outputs)
  const first = paths.find((path) => metafile.outputs[path].entryPoint !== undefined && !isLazy(metafile, path))
  const reached = reach(metafile, first)
  const loaded = outputFiles.filter((_file, index) => reached.has(paths[index]))

  const packages = {}
  for (const path of reached) {
    for (const [input, { bytesInOutput }] of Object.entries(metafile.outputs[path].inputs)) {
      const owner = packageOf(input)
      packages[owner] = (packages[owner] ?? 0) + bytesInOutput
    }
  }
  return {
    minified: loaded.reduce((sum, { contents }) => sum + contents.length, 0),
    gzipped: loaded.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    packages,
  }
}

/** Whether an output is only there because something loads it later. */
const isLazy = (metafile, path) =>
  Object.values(metafile.outputs).some(({ imports }) =>
    imports.some((one) => one.path === path && one.kind === 'dynamic-import'),
  )

function reach(metafile, path, seen = new Set()) {
  if (path === undefined || seen.has(path)) return seen
  seen.add(path)
  for (const one of metafile.outputs[path].imports) {
    if (!one.external && one.kind !== 'dynamic-import') reach(metafile, one.path, seen)
  }
  return seen
}

const packageOf = (input) => input.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'cepa'
