import { createAgent } from 'cepa'
import { median } from './interleave.js'
import type { Measure } from './row.js'
import { addTool, modelOf } from './work.js'

const TURNS = 2000
const SPAN = 100
const RUNS = 15

/** A run of 2,000 tool turns: its last 100 beside its first 100. */
export const measure: Measure = async () => {
  let stamps: number[] = []
  const model = modelOf(TURNS, 1, () => stamps.push(performance.now()))
  const agent = createAgent({ model, tools: [addTool], maxTurns: Number.POSITIVE_INFINITY })
  const firsts: number[] = []
  const lasts: number[] = []
  const ratios: number[] = []
  for (let run = -5; run < RUNS; run++) {
    stamps = []
    globalThis.gc?.()
    await agent.invoke('go')
    if (run < 0) continue
    const turns = stamps.slice(1).map((stamp, turn) => (stamp - (stamps[turn] ?? 0)) * 1000)
    const between = (from: number): number => median(turns.slice(from, from + SPAN))
    const [first, last] = [between(0), between(TURNS - SPAN)]
    firsts.push(first)
    lasts.push(last)
    ratios.push(last / first)
  }
  return [
    { name: 'turn 1 to 100', value: median(firsts), unit: 'µs/turn' },
    { name: 'turn 1,901 to 2,000', value: median(lasts), unit: 'µs/turn' },
    { name: 'last 100 over first 100', value: median(ratios), unit: 'times', bar: 2 },
  ]
}
