// Speed beside a loop written by hand, against the built package: `npm run bench`.
// --json gives data, --only <name> one bench, --check compares with the bars and exits with 1 if one is missed.
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keeps, line, type Measure, type Row } from './row.js'

const BENCHES: Readonly<Record<string, string>> = {
  turns: 'a run of 20 tool turns, in process',
  parallel: 'a run with one turn of parallel calls, in process',
  growth: 'a run of 2,000 tool turns, in process',
  stream: '20,000 deltas, in process',
  wire: 'over HTTP through the openai client',
  crowd: '1,000 runs of 3 turns at once, a model that takes 50 ms',
  load: 'import and size',
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    inside: { type: 'string' },
  },
})

/** Runs one bench in this process; what it prints is data. */
async function inside(name: string): Promise<void> {
  const { measure } = (await import(new URL(`./${name}.ts`, import.meta.url).href)) as { measure: Measure }
  process.stdout.write(JSON.stringify(await measure()))
}

/** Runs one bench in a fresh process, as an app in production would be. */
function apart(name: string): readonly Row[] {
  const args = ['--expose-gc', '--import', 'tsx', fileURLToPath(import.meta.url), '--inside', name]
  const done = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (done.status !== 0) throw new Error(`bench ${name}: exit code ${done.status ?? done.signal}`)
  return JSON.parse(done.stdout) as Row[]
}

async function main(): Promise<void> {
  if (values.inside !== undefined) return inside(values.inside)
  const { only, json, check } = values
  if (only !== undefined && !(only in BENCHES)) {
    throw new Error(`--only: expected one of ${Object.keys(BENCHES).join(', ')}, got ${only}`)
  }
  const say = (text: string): void => {
    if (!json) console.log(text)
  }
  say(`Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}; medians of interleaved rounds`)
  const all: Record<string, readonly Row[]> = {}
  for (const name of only === undefined ? Object.keys(BENCHES) : [only]) {
    say(`\n${name}: ${BENCHES[name]}`)
    all[name] = apart(name)
    for (const row of all[name]) say(line(row))
  }
  if (json) console.log(JSON.stringify(all, undefined, 2))
  if (!check) return
  const missed = Object.entries(all).flatMap(([name, rows]) =>
    rows
      .filter((row) => !keeps(row))
      .map((row) => `${name}: ${row.name}: ${row.value.toFixed(2)} ${row.unit}, at most ${row.bar}`),
  )
  if (missed.length > 0) {
    console.error(`\n${missed.length} missed:\n${missed.join('\n')}`)
    process.exitCode = 1
  } else say('\nall bars are kept')
}

await main()
