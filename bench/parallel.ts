import { createAgent, type ModelCall } from 'cepa'
import { handLoop } from './hand-loop.js'
import { interleave, type Works } from './interleave.js'
import type { Measure, Row } from './row.js'
import { addTool, modelOf, passThroughTools } from './work.js'

const SIZES = [25, 50, 100, 200] as const
/** A run with one turn of many parallel calls, beside the loop by hand. */
export const measure: Measure = async () => {
  const works: Record<string, Works[string]> = {}
  for (const size of SIZES) {
    const byHand = modelOf(1, size)
    works[`hand ${size}`] = () => handLoop('go', async () => (await byHand.generate({} as ModelCall)).message)
    const plain = createAgent({ model: modelOf(1, size), tools: [addTool] })
    works[`none ${size}`] = () => plain.invoke('go')
  }
  const layered = createAgent({ model: modelOf(1, 100), tools: [addTool], middleware: passThroughTools(5) })
  works.five = () => layered.invoke('go')
  const times = await interleave(works, { rounds: 600, warmup: 200 })
  const of = (name: string): number => times[name] ?? Number.NaN
  // What the calls from one size to the next add, per call.
  const slope = (from: number, to: number): number => (of(`none ${to}`) - of(`none ${from}`)) / (to - from)
  return [
    { name: '100 calls by hand', value: of('hand 100'), unit: 'µs' },
    ...SIZES.map((size): Row => ({ name: `${size} calls`, value: of(`none ${size}`), unit: 'µs' })),
    { name: '100 calls, 5 layers', value: of('five'), unit: 'µs' },
    { name: '100 calls, over by hand', value: of('none 100') / of('hand 100'), unit: 'times', bar: 5 },
    { name: '100 calls with 5 layers, over by hand', value: of('five') / of('hand 100'), unit: 'times', bar: 8 },
    { name: 'call 101 to 200, over call 26 to 50', value: slope(100, 200) / slope(25, 50), unit: 'times', bar: 1.5 },
  ]
}
