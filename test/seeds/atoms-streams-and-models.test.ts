import { createAgent, createMiddleware, ModelError, removeMessages, replaceMessages, tool, user } from 'cepa'
import { openaiChat } from 'cepa/models/openai-chat'
import { modelFromString } from 'cepa/models/providers'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { type Play, startProvider } from '../fixtures/provider-server.js'
import { calls, DONE, delta, finish, sse } from '../fixtures/sse.js'
import { checked, checkedRun, readAll, rejection } from '../run/checked.js'

/** Streams an agent with two tools from a server that plays event streams. */
async function streamed(...plays: readonly Play[]) {
  const provider = await startProvider(plays)
  const ran: string[] = []
  const named = (name: string) => tool(() => void ran.push(name), { name, description: `Does ${name}.` })
  const model = openaiChat({ model: 'm', baseURL: provider.url })
  const stream = createAgent({ model, tools: [named('a'), named('b')] }).stream('hi')
  return { provider, ran, stream }
}

test('S19: calls that are streamed piece by piece are whole, and in order, at the end of the stream', async () => {
  const { provider, ran, stream } = await streamed(
    {
      body: sse([
        delta({ role: 'assistant', content: 'Let me ' }),
        calls({ index: 0, id: 'c1', function: { name: 'a', arguments: '' } }),
        calls({ index: 1, id: 'c2', function: { name: 'b', arguments: '{"n"' } }),
        calls({ index: 0, function: { arguments: '{}' } }),
        delta({ content: 'look.' }),
        calls({ index: 1, function: { arguments: ':1}' } }),
        finish('tool_calls'),
        DONE,
      ]),
    },
    { body: sse([delta({ content: 'ok' }), finish('stop'), DONE]) },
  )
  const { result } = await readAll(stream)
  await provider.close()
  expect(ran).toEqual(['a', 'b'])
  expect(result.messages[1]).toMatchObject({
    content: 'Let me look.',
    tool_calls: [
      { id: 'c1', function: { name: 'a', arguments: '{}' } },
      { id: 'c2', function: { name: 'b', arguments: '{"n":1}' } },
    ],
  })
})

test('S19: nothing runs of a stream that did not end properly', async () => {
  const { provider, ran, stream } = await streamed({
    body: sse([calls({ index: 0, id: 'c1', function: { name: 'a', arguments: '{}' } })]),
  })
  expect(await rejection(stream.result)).toBeInstanceOf(ModelError)
  await provider.close()
  expect(ran).toEqual([])
})

test('S22: messages are appended, replaced by id, removed, and replaced as a whole', async () => {
  const seen: unknown[] = []
  const edits = createMiddleware({
    name: 'edits',
    beforeModel(state) {
      seen.push(state.messages.map(({ content }) => content))
      if (seen.length === 1)
        return { messages: [user('added'), { ...user('changed'), id: 'u1' }, removeMessages(['u2'])] }
      return seen.length === 2 ? { messages: replaceMessages([user('only this')]) } : undefined
    },
  })
  const look = tool(() => 'seen', { name: 'look', description: 'Looks.' })
  const model = scriptedModel([{ toolCalls: [toolCall('look')] }, 'ok'])
  const agent = createAgent({ model, tools: [look], middleware: [edits] })
  const result = await agent.invoke([
    { ...user('first'), id: 'u1' },
    { ...user('second'), id: 'u2' },
  ])
  checked(result, model)
  expect(model.calls.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['changed', 'added'],
    ['only this'],
  ])
  expect(result.messages.map(({ content }) => content)).toEqual(['only this', 'ok'])
})

test('S26: a model is named by a string, and a missing key is named by its variable', () => {
  expect(modelFromString('openai:gpt-5.4', { OPENAI_API_KEY: 'k' })).toMatchObject({
    provider: 'openai',
    id: 'gpt-5.4',
  })
  expect(() => modelFromString('openai:gpt-5.4', {})).toThrow(/OPENAI_API_KEY/)
  expect(() => modelFromString('groq:llama', {})).toThrow(/GROQ_API_KEY/)
})

test('S27: the joined pieces of text are the text of the final message', async () => {
  const agent = createAgent({ model: scriptedModel(() => 'Hello, wide and sunny world. 🌞') })
  let joined = ''
  const stream = agent.stream('hi')
  for await (const text of stream.text) joined += text
  expect(joined).toBe((await checkedRun(stream.result)).output)
  const { events, result } = await readAll(agent.stream('hi'))
  const deltas = events.flatMap((event) =>
    event.type === 'delta' && event.delta.type === 'text' ? [event.delta.text] : [],
  )
  expect(deltas.length).toBeGreaterThan(1)
  expect(deltas.join('')).toBe(result.output)
})

test('S28: usage is asked for while streaming, and taken once from chunks that repeat it', async () => {
  const usage = (completion: number) => ({
    usage: { prompt_tokens: 7, completion_tokens: completion, total_tokens: 7 + completion },
  })
  const { provider, stream } = await streamed({
    body: sse([
      { ...delta({ content: 'a' }), ...usage(1) },
      { ...delta({ content: 'b' }), ...usage(2) },
      finish('stop', usage(3)),
      { choices: [], ...usage(3) },
      DONE,
    ]),
  })
  const { result } = await readAll(stream)
  await provider.close()
  expect(provider.requests[0]?.body.stream_options).toEqual({ include_usage: true })
  expect(result.usage).toMatchObject({ requests: 1, input: 7, output: 3 })
})
