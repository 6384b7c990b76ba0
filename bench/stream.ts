import { createAgent, type Delta, type Model } from 'cepa'
import { interleave, work } from './interleave.js'
import type { Measure } from './row.js'

const DELTAS = 20_000

async function* source(): AsyncGenerator<Delta> {
  for (let index = 0; index < DELTAS; index++) yield { type: 'text', text: 'word ' }
}

const model: Model = {
  provider: 'bench',
  id: 'stream',
  profile: {},
  async generate(call) {
    let text = ''
    for await (const delta of source()) {
      if (delta.type === 'text') text += delta.text
      const full = call.emit(delta)
      if (full) await full
    }
    return { message: { role: 'assistant', content: text }, finishReason: 'stop' }
  },
}

/** 20,000 deltas of a model in process, read as events, beside reading their source. */
export const measure: Measure = async () => {
  const agent = createAgent({ model })
  const times = await interleave(
    {
      source: async () => {
        let text = ''
        for await (const delta of source()) if (delta.type === 'text') text += delta.text
        if (text.length !== DELTAS * 5) throw new Error('the source lost text')
      },
      events: async () => {
        let text = ''
        for await (const event of agent.stream('go')) {
          if (event.type === 'delta' && event.delta.type === 'text') text += event.delta.text
        }
        if (text.length !== DELTAS * 5) throw new Error('the stream lost text')
      },
    },
    { rounds: 40, warmup: 10, clock: work },
  )
  const { source: direct = Number.NaN, events = Number.NaN } = times
  return [
    { name: 'the source itself', value: direct / DELTAS, unit: 'µs/delta' },
    { name: 'through an agent', value: events / DELTAS, unit: 'µs/delta' },
    { name: 'through an agent, more than the source', value: (events - direct) / DELTAS, unit: 'µs/delta', bar: 0.5 },
  ]
}
