import { createAgent, type Part, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { checkedRun } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

const giving = (value: unknown) => tool(() => value, { name: 'give', description: 'Gives a value.' })

/** The content of the result of a tool that returns a value, as the next model call sees it. */
async function contentOf(value: unknown): Promise<string | Part[]> {
  const model = scriptedModel([{ toolCalls: [toolCall('give')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [giving(value)] }).invoke('hi'), model)
  const [seen, kept] = [model.calls[1]?.messages.at(-1), messages[2]]
  expect(seen).toMatchObject({ role: 'tool', status: 'success' })
  expect(seen?.content).toEqual(kept?.content)
  return seen?.content as string | Part[]
}

const cycle: Record<string, unknown> = { name: 'o' }
cycle.self = cycle
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }

test('A11: a string is the content as it is', async () => {
  for (const text of ['hi', '"quoted"', '  spaces \n', '{"a":1}', 'æøå 🌧', '']) expect(await contentOf(text)).toBe(text)
})

test('A12: nothing is an empty text', async () => {
  expect(await contentOf(undefined)).toBe('')
  expect(await contentOf(null)).toBe('')
  expect(await contentOf(Promise.resolve())).toBe('')
})

test('A13: a list is JSON text', async () => {
  expect(await contentOf([5, 3, 10])).toBe('[5,3,10]')
  expect(await contentOf([])).toBe('[]')
  expect(await contentOf(['a', ['b']])).toBe('["a",["b"]]')
})

test('A14: a list of content parts stays parts; one stranger makes it JSON', async () => {
  const parts = [{ type: 'text', text: 'a dog' }, IMAGE]
  expect(await contentOf(parts)).toEqual(parts)
  expect(await contentOf([{ type: 'dog' }])).toBe('[{"type":"dog"}]')
  expect(await contentOf([...parts, { type: 'dog' }])).toBe(JSON.stringify([...parts, { type: 'dog' }]))
  expect(await contentOf([{ type: 'text' }]), 'a part without its payload is no part').toBe('[{"type":"text"}]')
})

test('A15: objects, numbers and booleans are JSON text', async () => {
  expect(await contentOf({ a: 1, b: 'ø' })).toBe('{"a":1,"b":"ø"}')
  expect(await contentOf(0)).toBe('0')
  expect(await contentOf(false)).toBe('false')
})

test('A16: an object is written as its toJSON says', async () => {
  class Weather {
    readonly #degrees = 7
    toJSON() {
      return { degrees: this.#degrees }
    }
  }
  expect(await contentOf(new Weather())).toBe('{"degrees":7}')
  expect(await contentOf(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
})

test('A17: anything else falls back to text', async () => {
  expect(await contentOf(2n ** 60n)).toBe('1152921504606846976')
  expect(await contentOf({ n: [1n] })).toBe('{"n":["1"]}')
  expect(await contentOf(new Map([['a', 1]]))).toBe('{"a":1}')
  expect(await contentOf(new Set([1]))).toBe('[1]')
  for (const value of [cycle, () => 1, Symbol('s'), new WeakMap(), new Uint8Array(3)])
    expect(await contentOf(value)).toEqual(expect.stringMatching(/./))
})

test('A18: an adapter gets only texts and parts, and a text-only one gets text', async () => {
  for (const value of [undefined, 0, { a: 1 }, [], cycle, 1n]) {
    const { bodies } = await overTheWire([{ content: null, tool_calls: [wireCall('c1', 'give')] }, { content: 'ok' }], {
      tools: [giving(value)],
    })
    const messages = bodies[1]?.messages as { role: string; content: unknown }[]
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: expect.any(String) })
  }
  const { bodies } = await overTheWire(
    [{ content: null, tool_calls: [wireCall('c1', 'give'), wireCall('c2', 'give')] }, { content: 'ok' }],
    { tools: [giving([{ type: 'text', text: 'one' }, { type: 'text', text: 'two' }, IMAGE])] },
  )
  const messages = bodies[1]?.messages as { role: string; content: unknown }[]
  expect(messages.slice(-3).map(({ role }) => role)).toEqual(['tool', 'tool', 'user'])
  expect(messages.at(-3)?.content).toBe('one\n\ntwo')
  expect(JSON.stringify(messages.at(-1)?.content)).toContain('data:image/png')
})
