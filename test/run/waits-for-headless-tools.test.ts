import { createAgent, createMiddleware, type Message, tool, toolMessage, user } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, readAll } from './checked.js'

const geo = tool({ name: 'geo', description: 'Asks the client.', schema: z.object({ fine: z.boolean() }) })
const dated = () => {
  const made = { ran: 0, tool: tool(() => '', { name: 'date', description: 'D.' }) }
  made.tool = tool(() => `today ${++made.ran}`, { name: 'date', description: 'D.' })
  return made
}
const batch = {
  toolCalls: [
    toolCall('geo', { fine: true }, 'c1'),
    toolCall('date', {}, 'c2'),
    toolCall('geo', { fine: false }, 'c3'),
  ],
}
const answer = (id: string): Message => ({ ...toolMessage(`place ${id}`), tool_call_id: id })

describe('headless tools without a checkpointer', () => {
  it('end the run with their questions, and with what siblings have done', async () => {
    const date = dated()
    const model = scriptedModel([batch])
    const log: string[] = []
    const rings = createMiddleware({
      name: 'rings',
      wrapRun: async (_run, next) => {
        try {
          await next()
          log.push('behind')
        } finally {
          log.push('finally')
        }
      },
      afterAgent: () => void log.push('afterAgent'),
    })
    const { events, result } = await readAll(
      createAgent({ model, tools: [geo, date.tool], middleware: [rings] }).stream('go'),
    )
    checked(result, model)
    expect(result).toMatchObject({
      stopReason: 'interrupt',
      interrupts: [
        {
          toolCallId: 'c1',
          path: [],
          payload: { type: 'tool', toolCall: { id: 'c1', name: 'geo', args: { fine: true } } },
        },
        { toolCallId: 'c3', payload: { toolCall: { args: { fine: false } } } },
      ],
      done: [{ tool_call_id: 'c2', content: 'today 1', status: 'success' }],
    })
    expect(result.interrupts.every(({ id }) => /^[0-9a-f]{32}$/.test(id))).toBe(true)
    expect(new Set(result.interrupts.map(({ id }) => id)).size).toBe(2)
    expect(events.at(-2)).toMatchObject({ type: 'interrupt', done: [{ tool_call_id: 'c2' }] })
    expect(log).toEqual(['finally'])
  })

  const ORDERS = [
    ['c1', 'c2', 'c3'],
    ['c3', 'c2', 'c1'],
    ['c2', 'c3', 'c1'],
  ]
  it.each(ORDERS)('case 37: go on with the history and the tool messages in the order %s, %s, %s', async (...order) => {
    const date = dated()
    const model = scriptedModel([batch, 'done'])
    const agent = createAgent({ model, tools: [geo, date.tool] })
    const paused = checked(await agent.invoke('go'))
    const given = new Map<string, Message>(paused.done.map((message) => [message.tool_call_id, message]))
    for (const { toolCallId = '' } of paused.interrupts) given.set(toolCallId, answer(toolCallId))
    const input = [...paused.messages, ...order.flatMap((id) => given.get(id) ?? [])]
    const result = checked(await agent.invoke(input), model)
    expect(result).toMatchObject({ stopReason: 'stop', output: 'done' })
    expect(date.ran).toBe(1)
    expect(model.calls[1]?.messages.slice(2)).toMatchObject([
      { tool_call_id: 'c1', content: 'place c1' },
      { tool_call_id: 'c2', content: 'today 1' },
      { tool_call_id: 'c3', content: 'place c3' },
    ])
  })

  it('case 37: without an answer the open calls are closed before the model is called again', async () => {
    const date = dated()
    const model = scriptedModel([batch, 'done'])
    const agent = createAgent({ model, tools: [geo, date.tool] })
    const paused = checked(await agent.invoke('go'))
    const result = checked(await agent.invoke([...paused.messages, user('never mind')]), model)
    expect(result.messages.slice(2, 5).every((message) => message.role === 'tool' && message.status === 'error')).toBe(
      true,
    )
    expect(date.ran).toBe(1)
  })

  it('with arguments that do not fit ask nobody: the model is told', async () => {
    const model = scriptedModel([{ toolCalls: [toolCall('geo', { fine: 'x' })] }, 'done'])
    const result = checked(await createAgent({ model, tools: [geo] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'stop' })
    expect(result.messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('fine') })
  })

  it('are ordinary tools with .implement(), and with a layer that answers', async () => {
    const model = scriptedModel([{ toolCalls: [toolCall('geo', { fine: true })] }, 'done'])
    const implemented = geo.implement(() => 'here')
    const result = checked(await createAgent({ model, tools: [implemented] }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ content: 'here', status: 'success' })
    const layered = scriptedModel([{ toolCalls: [toolCall('geo', { fine: true })] }, 'done'])
    const layer = createMiddleware({ name: 'layer', wrapToolCall: async () => ({ message: toolMessage('cached') }) })
    const other = checked(
      await createAgent({ model: layered, tools: [geo], middleware: [layer] }).invoke('go'),
      layered,
    )
    expect(other.messages[2]).toMatchObject({ content: 'cached' })
  })
})

describe('headless tools with a checkpointer', () => {
  it('case 56: a new message closes the open calls; what was done is kept, and nothing runs again', async () => {
    const date = dated()
    const checkpointer = memoryCheckpointer()
    const model = scriptedModel([batch, 'done'])
    const agent = createAgent({ model, tools: [geo, date.tool], checkpointer })
    const paused = checked(await agent.invoke('go', { threadId: 'T' }))
    expect(paused.stopReason).toBe('interrupt')
    const result = checked(await agent.invoke('never mind', { threadId: 'T' }), model)
    expect(result.messages.slice(2, 6)).toMatchObject([
      { tool_call_id: 'c1', status: 'error' },
      { tool_call_id: 'c2', content: 'today 1', status: 'success' },
      { tool_call_id: 'c3', status: 'error' },
      { role: 'user', content: 'never mind' },
    ])
    expect(date.ran).toBe(1)
  })
})
