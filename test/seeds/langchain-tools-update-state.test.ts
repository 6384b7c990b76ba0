import { command, createAgent, createMiddleware, field, StateError, tool, toolMessage, user } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun, rejection } from '../run/checked.js'

const profile = { user_name: z.string().default('') }

test('L11: a command updates the state, and its message answers the call whatever id it carries', async () => {
  const setName = tool(
    ({ name }) =>
      command({
        update: { user_name: name },
        messages: [{ ...toolMessage(`Set to ${name}.`), tool_call_id: 'of another call' }],
      }),
    {
      name: 'set_user_name',
      description: 'Sets the name.',
      schema: z.object({ name: z.string() }),
      stateSchema: profile,
    },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('set_user_name', { name: 'Ada' }, 'c1')] }, 'ok'])
  const { state, messages } = await checkedRun(createAgent({ model, tools: [setName] }).invoke('hi'), model)
  expect(state.user_name).toBe('Ada')
  expect(messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c1', content: 'Set to Ada.', status: 'success' })
})

test('L12: a command without a message answers its call with an empty text', async () => {
  const setName = tool(() => command({ update: { user_name: 'Ada' } }), {
    name: 'set_user_name',
    description: 'Sets the name.',
    stateSchema: profile,
  })
  const model = scriptedModel([{ toolCalls: [toolCall('set_user_name', {}, 'c1')] }, 'ok'])
  const { state, messages } = await checkedRun(createAgent({ model, tools: [setName] }).invoke('hi'), model)
  expect(state.user_name).toBe('Ada')
  expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([{ tool_call_id: 'c1', content: '' }])
})

test('L13: an update is seen by the tools and layers of the next turn, not by siblings', async () => {
  const seen: string[] = []
  const setName = tool(() => command({ update: { user_name: 'Ada' } }), {
    name: 'set_user_name',
    description: 'Sets the name.',
    stateSchema: profile,
  })
  const greet = tool((_args, { state }) => `Hello ${state.user_name || 'nobody'}`, {
    name: 'greet',
    description: 'Greets.',
    stateSchema: profile,
  })
  const layers = createMiddleware({
    name: 'layers',
    stateSchema: profile,
    wrapModelCall(request, handler) {
      seen.push(request.state.user_name)
      return handler(request)
    },
  })
  const model = scriptedModel([
    { toolCalls: [toolCall('set_user_name'), toolCall('greet')] },
    { toolCalls: [toolCall('greet')] },
    'ok',
  ])
  const agent = createAgent({ model, tools: [setName, greet], middleware: [layers] })
  const { messages } = await checkedRun(agent.invoke('hi'), model)
  expect(messages.map(({ content }) => content)).toEqual(['hi', null, '', 'Hello nobody', null, 'Hello Ada', 'ok'])
  expect(seen).toEqual(['', 'Ada', 'Ada'])
})

test('L14: parallel updates enter in call order: through a reducer, or the later call wins', async () => {
  const stateSchema = {
    log: field(z.array(z.string()).default([]), { reducer: (all, more: string) => [...all, more] }),
    last: z.string().default(''),
  }
  const write = tool(
    async ({ text, delay }) => {
      await new Promise((resolve) => setTimeout(resolve, delay))
      return command({ update: { log: text, last: text } })
    },
    { name: 'write', description: 'Writes.', schema: z.object({ text: z.string(), delay: z.number() }), stateSchema },
  )
  for (const delays of [
    [12, 1, 6],
    [1, 12, 6],
    [6, 1, 12],
  ]) {
    const toolCalls = ['a', 'b', 'c'].map((text, index) => toolCall('write', { text, delay: delays[index] }))
    const model = scriptedModel([{ toolCalls }, 'ok'])
    const { state } = await checkedRun(createAgent({ model, tools: [write] }).invoke('hi'), model)
    expect(state.log).toEqual(['a', 'b', 'c'])
    expect(state.last).toBe('c')
  }
})

test('L29: several commands are applied in order, and a goto is honoured', async () => {
  const stateSchema = {
    log: field(z.array(z.string()).default([]), { reducer: (all, more: string) => [...all, more] }),
  }
  const twice = tool(
    () => [
      command({ update: { log: 'one' } }),
      command({ update: { log: 'two' }, messages: [toolMessage('both')], goto: 'end' }),
    ],
    { name: 'twice', description: 'Updates twice.', stateSchema },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('twice')] }])
  const { state, messages, stopReason } = await checkedRun(createAgent({ model, tools: [twice] }).invoke('hi'), model)
  expect(state.log).toEqual(['one', 'two'])
  expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'both' })
  expect(stopReason).toBe('goto')
  model.done()
})

test('L29: a command mixed with other values is an error result, and nothing of it is applied', async () => {
  const mixed = tool(() => [command({ update: { user_name: 'Ada' } }), 'text'], {
    name: 'mixed',
    description: 'Mixes.',
    stateSchema: profile,
  })
  const model = scriptedModel([{ toolCalls: [toolCall('mixed')] }, 'ok'])
  const { state, messages } = await checkedRun(createAgent({ model, tools: [mixed] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ status: 'error' })
  expect(state.user_name).toBe('')
})

test('L29: other messages of a command come behind the results of the batch', async () => {
  const notes = tool(() => command({ messages: [toolMessage('noted'), user('a note')] }), {
    name: 'notes',
    description: 'Notes.',
  })
  const plain = tool(() => 'plain', { name: 'plain', description: 'Is plain.' })
  const model = scriptedModel([{ toolCalls: [toolCall('notes'), toolCall('plain')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [notes, plain] }).invoke('hi'), model)
  expect(messages.map(({ content }) => content)).toEqual(['hi', null, 'noted', 'plain', 'a note', 'ok'])
})

test('L29: an update with a key that no field declares names the key and the tool', async () => {
  const wrong = tool(() => command({ update: { nope: 1 } }), { name: 'wrong', description: 'Is wrong.' })
  const model = scriptedModel([{ toolCalls: [toolCall('wrong')] }])
  const error = await rejection(createAgent({ model, tools: [wrong] }).invoke('hi'))
  expect(error).toBeInstanceOf(StateError)
  expect((error as Error).message).toMatch(/tool "wrong".*"nope"/)
})
