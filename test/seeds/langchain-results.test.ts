import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun, gate, readAll, rejection } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

test('L27: a returned string is the result, and changes no state', async () => {
  const weather = tool(() => 'It is sunny.', { name: 'weather', description: 'Tells the weather.' })
  const model = scriptedModel([{ toolCalls: [toolCall('weather')] }, 'ok'])
  const agent = createAgent({ model, tools: [weather], stateSchema: { note: z.string().default('kept') } })
  const { messages, state } = await checkedRun(agent.invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: 'It is sunny.' })
  expect(state.note).toBe('kept')
})

test('L28: a returned object is written as JSON, and changes no state', async () => {
  const weather = tool(() => ({ temperature: 22, note: 'sunny' }), {
    name: 'weather',
    description: 'Tells the weather.',
  })
  const model = scriptedModel([{ toolCalls: [toolCall('weather')] }, 'ok'])
  const agent = createAgent({ model, tools: [weather], stateSchema: { note: z.string().default('kept') } })
  const { messages, state } = await checkedRun(agent.invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: '{"temperature":22,"note":"sunny"}' })
  expect(state.note).toBe('kept')
})

test('L30: an artifact stays in the message and never goes to the model', async () => {
  const search = tool(() => ['2 documents', [{ id: 'secret-document' }]], {
    name: 'search',
    description: 'Searches.',
    responseFormat: 'content_and_artifact',
  })
  const { result, bodies } = await overTheWire(
    [{ content: null, tool_calls: [wireCall('c1', 'search')] }, { content: 'ok' }],
    { tools: [search] },
  )
  expect(result.messages[2]).toMatchObject({ content: '2 documents', artifact: [{ id: 'secret-document' }] })
  expect(JSON.stringify(bodies)).not.toMatch(/secret-document|artifact/)
})

test('L30: what is no pair is an error result', async () => {
  for (const value of ['text', ['one'], [1, 2, 3], {}, undefined]) {
    const search = tool(() => value, {
      name: 'search',
      description: 'Searches.',
      responseFormat: 'content_and_artifact',
    })
    const model = scriptedModel([{ toolCalls: [toolCall('search')] }, 'ok'])
    const { messages } = await checkedRun(createAgent({ model, tools: [search] }).invoke('hi'), model)
    expect(messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('[content, artifact]') })
  }
})

test('L31: each yield of a generator is progress, and its return or last yield the result', async () => {
  const returns = tool(
    async function* () {
      yield 'one'
      yield { two: 2 }
      return 'the end'
    },
    { name: 'returns', description: 'Returns.' },
  )
  const yields = tool(
    function* () {
      yield 'first'
      yield 'last'
    },
    { name: 'yields', description: 'Yields.' },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('returns'), toolCall('yields')] }, 'ok'])
  const { events, result } = await readAll(createAgent({ model, tools: [returns, yields] }).stream('hi'))
  const chunks = (id: string) =>
    events.flatMap((event) => (event.type === 'tool-progress' && event.toolCallId === id ? [event.chunk] : []))
  expect(chunks('call_1')).toEqual(['one', { two: 2 }])
  expect(chunks('call_2')).toEqual(['first', 'last'])
  expect(result.messages.slice(2, 4)).toMatchObject([{ content: 'the end' }, { content: 'last' }])
})

test('L31: an abort closes a generator', async () => {
  const closed = gate()
  const controller = new AbortController()
  const counts = tool(
    async function* () {
      try {
        for (let index = 0; ; index++) {
          if (index === 3) controller.abort(new Error('enough'))
          yield index
        }
      } finally {
        closed.open()
      }
    },
    { name: 'counts', description: 'Counts for ever.' },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('counts')] }])
  const run = createAgent({ model, tools: [counts] }).invoke('hi', { signal: controller.signal })
  expect(await rejection(run)).toBe(controller.signal.reason)
  await closed.promise
})

const direct = tool(({ text }) => ({ text }), {
  name: 'direct',
  description: 'Answers directly.',
  schema: z.object({ text: z.string() }),
  returnDirect: true,
})
const plain = tool(({ text }) => `plain ${text}`, {
  name: 'plain',
  description: 'Answers the model.',
  schema: z.object({ text: z.string() }),
})

test("L32: a direct tool's output ends the run without another model call", async () => {
  const model = scriptedModel([{ text: 'Let me look.', toolCalls: [toolCall('direct', { text: 'a' })] }])
  const result = await checkedRun(createAgent({ model, tools: [direct] }).invoke('hi'), model)
  expect(result).toMatchObject({ stopReason: 'returnDirect', output: '{"text":"a"}' })
  expect(model.calls).toHaveLength(1)
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"text":"a"}' })
})

test('L32: the last turn that is allowed may be direct', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('direct', { text: 'a' })] }])
  const { stopReason } = await checkedRun(createAgent({ model, tools: [direct], maxTurns: 1 }).invoke('hi'), model)
  expect(stopReason).toBe('returnDirect')
})

test.each([
  ['direct and direct', ['direct', 'direct'], ['a', 'b'], 'returnDirect'],
  ['plain and plain', ['plain', 'plain'], ['a', 'b'], 'stop'],
  ['direct and plain', ['direct', 'plain'], ['a', 'b'], 'stop'],
  ['plain and direct', ['plain', 'direct'], ['a', 'b'], 'stop'],
  ['direct and a failed direct', ['direct', 'direct'], ['a', 0], 'stop'],
  ['a failed direct and direct', ['direct', 'direct'], [0, 'b'], 'stop'],
])('L33: %s', async (_title, names, texts, stopReason) => {
  const toolCalls = names.map((name, index) => toolCall(name, { text: texts[index] }))
  const model = scriptedModel(stopReason === 'stop' ? [{ toolCalls }, 'ok'] : [{ toolCalls }])
  const result = await checkedRun(createAgent({ model, tools: [direct, plain] }).invoke('hi'), model)
  expect(result.stopReason).toBe(stopReason)
  if (stopReason === 'returnDirect') expect(result.output).toBe('{"text":"a"}\n\n{"text":"b"}')
  else expect(result.output).toBe('ok')
  model.done()
})

test('L33: a failed direct call goes to the model, and a good one then ends the run', async () => {
  const model = scriptedModel([
    { toolCalls: [toolCall('direct', {})] },
    { toolCalls: [toolCall('direct', { text: 'mended' })] },
    { toolCalls: [toolCall('plain', { text: 'next run' })] },
    'ok',
  ])
  const agent = createAgent({ model, tools: [direct, plain] })
  const first = await checkedRun(agent.invoke('hi'), model)
  expect(first).toMatchObject({ stopReason: 'returnDirect', output: '{"text":"mended"}' })
  expect(first.messages[2]).toMatchObject({ status: 'error' })
  expect(await checkedRun(agent.invoke('again'), model)).toMatchObject({ stopReason: 'stop', output: 'ok' })
})
