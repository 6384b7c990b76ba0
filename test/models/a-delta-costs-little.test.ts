import { expect, it } from 'vitest'
import { ReplyReader } from '../../src/models/stream-reader.js'
import { wireNames } from '../../src/models/wire-names.js'
import { calls, delta, finish } from '../fixtures/sse.js'

const COUNT = 20_000
const read = (chunk: unknown): number => {
  const reader = new ReplyReader(wireNames([], []), {}, { provider: 'local', model: 'm' })
  reader.push(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }))
  const before = performance.now()
  for (let index = 0; index < COUNT; index += 1) reader.push(chunk)
  const spent = performance.now() - before
  reader.push(finish('stop'))
  expect(reader.end().message.tool_calls).toHaveLength(1)
  return (spent * 1000) / COUNT
}

it.each([
  ['text', delta({ content: 'word ' })],
  ['reasoning', delta({ reasoning_content: 'word ' })],
  ['arguments', calls({ index: 0, function: { arguments: 'word ' } })],
])('20,000 deltas of %s cost well below half a microsecond each', (_title, chunk) => {
  // The best of some runs: other work on the machine only makes one slower.
  const best = Math.min(...Array.from({ length: 20 }, () => read(chunk)))
  expect(best).toBeLessThan(0.5)
})
