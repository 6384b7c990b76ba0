import {
  type AssistantMessage,
  createAgent,
  createMiddleware,
  type Hook,
  type Message,
  removeMessages,
  tool,
  toolMessage,
  user,
  withUpdate,
  wrapModelCall,
} from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked } from '../run/checked.js'

const pay = () => {
  const made: { paid: unknown[]; tool: ReturnType<typeof tool> } = { paid: [], tool: tool(() => '', NAMED) }
  made.tool = tool(({ to }) => `paid ${made.paid.push(to)}`, NAMED)
  return made
}
const NAMED = {
  name: 'pay',
  description: 'Pays.',
  schema: { type: 'object', properties: { to: { type: 'string' } } },
} as const
const calls = { text: 'Paying.', toolCalls: [toolCall('pay', { to: 'a' }, 'c1'), toolCall('pay', { to: 'b' }, 'c2')] }
const last = (messages: readonly Message[]) => messages.at(-1) as AssistantMessage & { id: string }

/** Once, behind the first reply. */
const once = (hook: Hook) => {
  let ran = false
  return createMiddleware({
    name: 'hook',
    afterModel: (state, runtime) => {
      if (ran) return undefined
      ran = true
      return hook(state, runtime)
    },
  })
}

describe('an afterModel hook', () => {
  it('that removes the reply leaves nothing to run and nothing to say', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls])
    const hide = once((state) => ({ messages: removeMessages([last(state.messages).id]) }))
    const result = checked(await createAgent({ model, tools: [tool], middleware: [hide] }).invoke('go'), model)
    expect(paid).toEqual([])
    expect(result).toMatchObject({ output: '', stopReason: 'stop' })
    expect(JSON.stringify(result)).not.toContain('Paying')
  })

  it('that replaces the reply by text ends the run with that text', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls])
    const refuse = once(({ messages }) => ({
      messages: [{ role: 'assistant', content: 'I may not.', id: last(messages).id }],
    }))
    const result = checked(await createAgent({ model, tools: [tool], middleware: [refuse] }).invoke('go'), model)
    expect(paid).toEqual([])
    expect(result).toMatchObject({ output: 'I may not.', stopReason: 'stop' })
    expect(result.messages).toHaveLength(2)
  })

  it('that changes the calls has the changed ones run', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls, 'done'])
    const edit = once(({ messages }) => {
      const reply = last(messages)
      const [first] = reply.tool_calls ?? []
      const changed = { id: 'c1', type: 'function' as const, function: { name: 'pay', arguments: '{"to":"z"}' } }
      return { messages: first ? [{ ...reply, tool_calls: [changed] }] : [] }
    })
    const result = checked(await createAgent({ model, tools: [tool], middleware: [edit] }).invoke('go'), model)
    expect(paid).toEqual(['z'])
    expect(model.calls[1]?.messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"to":"z"}' } }] })
    expect(result.messages).toHaveLength(4)
  })

  it('that answers one call itself has only the other run, in call order', async () => {
    for (const [answered, other] of [
      ['c1', 'b'],
      ['c2', 'a'],
    ] as const) {
      const { paid, tool } = pay()
      const model = scriptedModel([calls, 'done'])
      const answer = once(() => ({ messages: [{ ...toolMessage('answered'), tool_call_id: answered }] }))
      const result = checked(await createAgent({ model, tools: [tool], middleware: [answer] }).invoke('go'), model)
      expect(paid).toEqual([other])
      expect(result.messages.find((one) => one.role === 'tool' && one.tool_call_id === answered)).toMatchObject({
        content: 'answered',
      })
    }
  })

  it('that answers all calls itself has the model called again', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls, 'done'])
    const answer = once(() => ({
      messages: ['c2', 'c1'].map((id) => ({ ...toolMessage('answered'), tool_call_id: id })),
    }))
    const result = checked(await createAgent({ model, tools: [tool], middleware: [answer] }).invoke('go'), model)
    expect(paid).toEqual([])
    expect(result.output).toBe('done')
  })

  it('that adds a message has it behind the results', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls, 'done'])
    const add = once(() => ({ messages: [user('note')] }))
    const result = checked(await createAgent({ model, tools: [tool], middleware: [add] }).invoke('go'), model)
    expect(paid).toEqual(['a', 'b'])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
  })

  it('that adds an assistant message closes the calls before it', async () => {
    const { paid, tool } = pay()
    const model = scriptedModel([calls, 'done'])
    const add = once(() => ({ messages: [{ role: 'assistant', content: 'instead' }] }))
    checked(await createAgent({ model, tools: [tool], middleware: [add] }).invoke('go'), model)
    expect(paid).toEqual([])
  })
})

it('messages in the updates of a model layer come behind the results as well', async () => {
  const { paid, tool } = pay()
  const model = scriptedModel([calls, 'done'])
  const note = wrapModelCall(async (request, handler) => {
    const response = await handler()
    return request.messages.length === 1 ? withUpdate(response, { messages: [user('note')] }) : response
  })
  const result = checked(await createAgent({ model, tools: [tool], middleware: [note] }).invoke('go'), model)
  expect(paid).toEqual(['a', 'b'])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
})

it('a call that a beforeModel hook forges is answered before the model is called, and never runs', async () => {
  const { paid, tool } = pay()
  const model = scriptedModel(['done'])
  const forge = createMiddleware({
    name: 'forge',
    beforeModel: () => ({
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'pay', arguments: '{}' } }],
        },
      ],
    }),
  })
  checked(await createAgent({ model, tools: [tool], middleware: [forge] }).invoke('go'), model)
  expect(paid).toEqual([])
})
