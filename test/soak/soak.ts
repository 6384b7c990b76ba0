// 10,000 runs of 5 turns in one process, every way that a run can end; then it looks for what they have left behind.
// `npm run test:soak`, with `-- --short` in under a minute. Exits with 1 if a check fails.
import { getEventListeners } from 'node:events'
import { createAgent, type Model, tool } from 'cepa'
import { z } from 'zod'

const isShort = process.argv.includes('--short')
const RUNS = isShort ? 2000 : 10_000
/** Runs after which the heap is looked at first: by then code is compiled, and caches are full. */
const WARM = isShort ? 500 : 1000
const AT_ONCE = 20
const TURNS = 5
const MEGABYTE = 1024 * 1024

const faults: string[] = []
process.on('unhandledRejection', (reason) => faults.push(`unhandled rejection: ${String(reason)}`))
process.on('warning', (warning) => faults.push(`warning: ${warning.name}: ${warning.message}`))

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })

/** Streams its replies if it is listened to, and takes its time, so that an abort finds it at work. */
const model: Model = {
  provider: 'soak',
  id: 'soak',
  profile: {},
  async generate(call) {
    const turn = call.messages.filter(({ role }) => role === 'assistant').length
    await rest(0, call.signal)
    if (call.streaming) for (let piece = 0; piece < 5; piece++) await call.emit({ type: 'text', text: 'piece ' })
    if (turn === TURNS - 1) return { message: { role: 'assistant', content: 'done' }, finishReason: 'stop' }
    const calls = [1, 2].map((nth) => ({
      id: `call_${turn}_${nth}`,
      type: 'function' as const,
      function: { name: 'wait', arguments: '{"ms":0}' },
    }))
    return { message: { role: 'assistant', content: null, tool_calls: calls }, finishReason: 'tool_calls' }
  },
}

const wait = tool(
  async ({ ms }, { signal }) => {
    await rest(ms, signal)
    return 'x'.repeat(100)
  },
  { name: 'wait', description: 'Waits.', schema: z.object({ ms: z.number() }), timeoutMs: 60_000 },
)

const agent = createAgent({
  model,
  tools: [wait],
  middleware: [
    {
      name: 'through',
      wrapTurn: async (_turn: unknown, next: () => Promise<void>) => next(),
      wrapModelCall: async (request: unknown, handler: (request: unknown) => unknown) => handler(request),
      wrapToolCall: async (request: unknown, handler: (request: unknown) => unknown) => handler(request),
    },
  ],
})

/** One that lives as long as the process: whatever follows it has to let go. */
const longLived = new AbortController().signal

let aborted = 0
function ended(way: string, stopReason: string): void {
  if (stopReason === 'aborted') aborted++
  else if (stopReason !== 'stop') faults.push(`${way}: ended with ${stopReason}`)
}
/** Some way into the run, another one each time. */
const later = (run: number, then: () => void): NodeJS.Timeout => setTimeout(then, run % 7)

// Half of them are aborted on the way.
const WAYS: readonly ((run: number) => Promise<unknown>)[] = [
  async function plain() {
    ended('plain', (await agent.invoke('go', { signal: longLived })).stopReason)
  },
  async function bySignal(run) {
    const controller = new AbortController()
    const reason = new Error('enough')
    const timer = later(run, () => controller.abort(reason))
    const signal = AbortSignal.any([controller.signal, longLived])
    await agent.invoke('go', { signal }).then(
      ({ stopReason }) => ended('by signal', stopReason),
      (error) => ended('by signal', error === reason ? 'aborted' : String(error)),
    )
    clearTimeout(timer)
  },
  async function streamed() {
    const stream = agent.stream('go', { signal: longLived })
    for await (const _event of stream);
    ended('streamed', (await stream.result).stopReason)
  },
  async function leftHalfway(run) {
    let seen = 0
    const stream = agent.stream('go', { signal: longLived })
    for await (const _event of stream) if (++seen > run % 30) break
    ended('left halfway', (await stream.result).stopReason)
  },
  async function unread() {
    ended('unread', (await agent.stream('go', { signal: longLived }).result).stopReason)
  },
  async function byAbort(run) {
    const stream = agent.stream('go', { signal: longLived })
    const timer = later(run, () => stream.abort())
    for await (const _event of stream);
    ended('by abort()', (await stream.result).stopReason)
    clearTimeout(timer)
  },
]

async function runs(from: number, to: number): Promise<void> {
  let next = from
  const worker = async (): Promise<void> => {
    for (let run = next++; run < to; run = next++) await WAYS[run % WAYS.length]?.(run)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Bytes in use after a collection, once what is under way has settled. */
async function heap(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc?.()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

const handles = (): string[] => process.getActiveResourcesInfo().filter((kind) => !/TTY|Pipe|FS|Message/.test(kind))

let passed = 0
let failed = 0
function check(what: string, holds: boolean): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`)
  if (holds) passed++
  else failed++
}

if (!globalThis.gc) throw new Error('run with --expose-gc')
const begun = performance.now()
const handlesBefore = handles()
await runs(0, WARM)
const before = await heap()
await runs(WARM, RUNS)
const after = await heap()
const growth = after - before
const allowed = Math.max(before * 0.05, 5 * MEGABYTE)
const inMegabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2)

console.log(`${RUNS} runs of ${TURNS} turns in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
check(
  `the heap grew by ${inMegabytes(growth)} MB after run ${WARM}, from ${inMegabytes(before)}: at most ${inMegabytes(allowed)}`,
  growth <= allowed,
)
check(
  `no listener is left on a long-lived signal: ${getEventListeners(longLived, 'abort').length}`,
  getEventListeners(longLived, 'abort').length === 0,
)
check(`no timer and no handle is left: ${handles().join(', ') || 'none'}`, handles().length <= handlesBefore.length)
check(`about half of them were aborted on the way: ${aborted}`, aborted > RUNS * 0.4 && aborted < RUNS * 0.6)
check(`no warning, no unhandled rejection, every run ended as it should: ${faults[0] ?? 'none'}`, faults.length === 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
