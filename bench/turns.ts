import { type AssistantMessage, createAgent, type ModelCall } from 'cepa'
import { handLoop } from './hand-loop.js'
import { interleave } from './interleave.js'
import type { Measure } from './row.js'
import { addTool, modelOf, passThrough } from './work.js'

const TURNS = 20

/** Runs of 20 tool turns with 0, 5 and 20 layers that pass through, beside the loop by hand. */
export const measure: Measure = async () => {
  const byHand = modelOf(TURNS)
  const callModel = async (): Promise<AssistantMessage> => (await byHand.generate({} as ModelCall)).message
  const agentOf = (layers: number) =>
    createAgent({ model: modelOf(TURNS), tools: [addTool], middleware: passThrough(layers) })
  const agents = [agentOf(0), agentOf(5), agentOf(20)] as const
  const times = await interleave(
    {
      hand: () => handLoop('go', callModel),
      none: () => agents[0].invoke('go'),
      five: () => agents[1].invoke('go'),
      twenty: () => agents[2].invoke('go'),
    },
    { rounds: 2000, warmup: 500 },
  )
  const perTurn = (name: string): number => (times[name] ?? Number.NaN) / TURNS
  const [hand, none, five, twenty] = [perTurn('hand'), perTurn('none'), perTurn('five'), perTurn('twenty')]
  return [
    { name: 'loop by hand', value: hand, unit: 'µs/turn' },
    { name: 'no middleware', value: none, unit: 'µs/turn' },
    { name: '5 middleware that pass through', value: five, unit: 'µs/turn' },
    { name: '20 middleware that pass through', value: twenty, unit: 'µs/turn' },
    { name: 'no middleware, more than by hand', value: none - hand, unit: 'µs/turn', bar: 8 },
    { name: 'each middleware of 5', value: (five - none) / 5, unit: 'µs/turn', bar: 0.8 },
    { name: 'each middleware of 20', value: (twenty - none) / 20, unit: 'µs/turn', bar: 0.8 },
  ]
}
