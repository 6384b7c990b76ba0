import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './interleave.js'
import type { Measure } from './row.js'

const PROCESSES = 21
const root = fileURLToPath(new URL('..', import.meta.url))

const clock = (specifier: string): string =>
  `const begun = performance.now(); await import('${specifier}'); console.log(performance.now() - begun)`

function fresh(specifier: string): number {
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', clock(specifier)], {
    cwd: root,
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(done.stderr)
  return Number(done.stdout)
}

/** The time of an import in a fresh process, and the size of the core. */
export const measure: Measure = async () => {
  const times: Record<string, number[]> = { cepa: [], zod: [] }
  for (let process = 0; process < PROCESSES; process++) {
    for (const [specifier, list] of Object.entries(times)) list.push(fresh(specifier))
  }
  const { coreSize } = (await import(new URL('../scripts/core-size.mjs', import.meta.url).href)) as {
    coreSize(entry: string): Promise<{ gzipped: number }>
  }
  const { gzipped } = await coreSize(fileURLToPath(import.meta.resolve('cepa')))
  return [
    { name: "import 'zod', for comparison", value: median(times.zod ?? []), unit: 'ms' },
    { name: "import 'cepa'", value: median(times.cepa ?? []), unit: 'ms', bar: 60 },
    { name: 'the core, minified and gzipped, without openai and zod', value: gzipped / 1000, unit: 'kB', bar: 30 },
  ]
}
