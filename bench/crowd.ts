import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './interleave.js'
import type { Measure, Row } from './row.js'

const RUNS = 1000
const IDEAL_MS = 150
const PROCESSES = 7
const path = fileURLToPath(new URL('./crowd-process.ts', import.meta.url))

interface Crowd {
  readonly ms: number
  readonly workMs: number
  readonly bytes: number
}

function fresh(kind: string): Crowd {
  const done = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', path, kind], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout) as Crowd
}

/** 1,000 runs of 3 turns at once with a model that takes 50 ms, each time in a fresh process. */
export const measure: Measure = async () => {
  const kinds: Readonly<Record<string, readonly Pick<Row, 'bar'>[]>> = {
    'by hand': [{}, {}],
    plain: [{ bar: 100 }, { bar: 32 }],
    'streamed, 5 middleware': [{}, { bar: 60 }],
  }
  const seen: Record<string, Crowd[]> = {}
  for (let process = 0; process < PROCESSES; process++) {
    for (const kind of Object.keys(kinds)) {
      seen[kind] ??= []
      seen[kind].push(fresh({ 'by hand': 'hand', plain: 'plain' }[kind] ?? 'streamed'))
    }
  }
  return Object.entries(kinds).flatMap(([kind, [time, memory]]) => {
    const runs = seen[kind] ?? []
    return [
      { name: `${kind}: over the ideal`, value: median(runs.map(({ ms }) => ms)) - IDEAL_MS, unit: 'ms', ...time },
      { name: `${kind}: processor time`, value: median(runs.map(({ workMs }) => workMs)), unit: 'ms' },
      { name: `${kind}: peak`, value: median(runs.map(({ bytes }) => bytes)) / RUNS / 1024, unit: 'KB/run', ...memory },
    ]
  })
}
