// 1,000 runs at once in this process, which is fresh: `node --expose-gc --import tsx bench/crowd-process.ts <kind>`
// prints the milliseconds that they took, those of the processor, and the bytes by which the process grew at most.
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, type Model } from 'cepa'
import { handLoop } from './hand-loop.js'
import { median } from './interleave.js'
import { addTool, answer, passThrough } from './work.js'

const RUNS = 1000
const TURNS = 3

let delayMs = 0

/** Answers by what it is given, as runs share it. */
async function reply(messages: readonly { readonly role: string }[]): Promise<ReturnType<typeof answer>> {
  await sleep(delayMs)
  const asked = messages.filter(({ role }) => role === 'assistant').length
  return answer(asked < TURNS - 1 ? 1 : 0)
}

const model: Model = { provider: 'bench', id: 'slow', profile: {}, generate: ({ messages }) => reply(messages) }

async function streamed(agent: { stream(input: string): AsyncIterable<unknown> }): Promise<void> {
  for await (const _event of agent.stream('go'));
}

const kinds: Record<string, () => () => Promise<unknown>> = {
  hand: () => () => handLoop('go', async (messages) => (await reply(messages)).message),
  plain: () => {
    const agent = createAgent({ model, tools: [addTool] })
    return () => agent.invoke('go')
  },
  streamed: () => {
    const agent = createAgent({ model, tools: [addTool], middleware: passThrough(5) })
    return () => streamed(agent)
  },
}

const once = kinds[process.argv[2] ?? '']?.()
if (!once || !globalThis.gc) throw new Error(`expected one of ${Object.keys(kinds).join(', ')}, and --expose-gc`)
const crowd = (count: number): Promise<unknown> => Promise.all(Array.from({ length: count }, once))

// Warm: the code is compiled, and the heap has its size for work one after the other.
for (let round = 0; round < 500; round++) await crowd(10)
globalThis.gc()
await sleep(50)
delayMs = 50
const before = process.memoryUsage.rss()
let peak = before
const look = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 5)
await crowd(RUNS)
peak = Math.max(peak, process.memoryUsage.rss())
clearInterval(look)

// The first crowd shows the memory. The compiler is busy with it meanwhile, so the time is that of the next ones.
const times: number[] = []
const work: number[] = []
for (let round = 0; round < 5; round++) {
  const begun = performance.now()
  const start = process.cpuUsage()
  await crowd(RUNS)
  times.push(performance.now() - begun)
  const { user, system } = process.cpuUsage(start)
  work.push((user + system) / 1000)
}
console.log(JSON.stringify({ ms: median(times), workMs: median(work), bytes: peak - before }))
