import {
  createAgent,
  createMiddleware,
  isControl,
  ToolNotFoundError,
  tool,
  toolMessage,
  wrapModelCall,
  wrapToolCall,
} from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { checkedRun, rejection } from '../run/checked.js'

const failing = (error: unknown) =>
  tool(
    () => {
      throw error
    },
    { name: 'divide', description: 'Divides.' },
  )

test('L34: a layer turns an exception into a message of its own', async () => {
  const own = wrapToolCall(async (request, handler) => {
    try {
      return await handler(request)
    } catch (error) {
      if (isControl(error)) throw error
      return { message: toolMessage(`Tool error: check your input (${(error as Error).message})`, { status: 'error' }) }
    }
  })
  const model = scriptedModel([{ toolCalls: [toolCall('divide'), toolCall('divied')] }, 'ok'])
  const agent = createAgent({ model, tools: [failing(new Error('by zero'))], middleware: [own] })
  await checkedRun(agent.invoke('hi'), model)
  expect(model.calls[1]?.messages.slice(2)).toMatchObject([
    { tool_call_id: 'call_1', status: 'error', content: 'Tool error: check your input (by zero)' },
    { tool_call_id: 'call_2', status: 'error', content: expect.stringContaining('"divied"') },
  ])
})

test('L35: a layer enters the handler again, and the tool runs again, with one result', async () => {
  let runs = 0
  const flaky = tool(
    () => {
      runs += 1
      if (runs < 3) throw new Error('not yet')
      return `after ${runs}`
    },
    { name: 'flaky', description: 'Fails twice.' },
  )
  const retry = createMiddleware({
    name: 'retry',
    async wrapToolCall(request, handler) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await handler(request)
        } catch (error) {
          if (isControl(error) || attempt === 3) throw error
        }
      }
    },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('flaky')] }, 'ok'])
  const agent = createAgent({ model, tools: [flaky], middleware: [retry] })
  const { messages } = await checkedRun(agent.invoke('hi'), model)
  expect(runs).toBe(3)
  expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([{ content: 'after 3', status: 'success' }])
})

test('L36: layers that pass everything on change no outcome', async () => {
  const error = new Error('by zero')
  const outcomes = []
  for (const layers of [0, 1, 3]) {
    const seen: unknown[] = []
    const pass = Array.from({ length: layers }, (_, index) =>
      createMiddleware({
        name: `pass${index}`,
        async wrapToolCall(request, handler) {
          try {
            return await handler(request)
          } catch (caught) {
            seen.push(caught)
            throw caught
          }
        },
      }),
    )
    const model = scriptedModel([
      { toolCalls: [toolCall('divide'), toolCall('nope'), toolCall('divide', '{"a":')] },
      'ok',
    ])
    const agent = createAgent({ model, tools: [failing(error)], middleware: pass })
    const { messages, stopReason } = await checkedRun(agent.invoke('hi'), model)
    outcomes.push(JSON.stringify([stopReason, messages.map(({ role, content }) => [role, content])]))
    expect(seen.filter((one) => one === error)).toHaveLength(layers)
    expect(seen.filter((one) => one instanceof ToolNotFoundError)).toHaveLength(layers)

    const throwing = createAgent({
      model: scriptedModel([{ toolCalls: [toolCall('divide')] }]),
      tools: [failing(error)],
      middleware: pass,
      toolErrors: 'throw',
    })
    expect(await rejection(throwing.invoke('hi'))).toBe(error)
  }
  expect(new Set(outcomes).size).toBe(1)
})

test('L37: a changed request is a copy, for this call only', async () => {
  const change = wrapModelCall((request, handler) => {
    expect(Object.isFrozen(request)).toBe(true)
    expect(() => Object.assign(request, { systemPrompt: 'forged' })).toThrow(TypeError)
    const changed = request.override({ systemPrompt: 'Be brief.', messages: request.messages.slice(-1) })
    expect(changed).not.toBe(request)
    expect(request.systemPrompt).toBe('Be kind.')
    return handler(changed)
  })
  const spread = wrapModelCall((request, handler) => handler({ ...request, settings: { temperature: 0 } }))
  const model = scriptedModel(['one', 'two'])
  const agent = createAgent({ model, systemPrompt: 'Be kind.', middleware: [change, spread] })
  const first = await checkedRun(agent.invoke('hi'), model)
  const second = await checkedRun(agent.invoke([...first.messages, { role: 'user', content: 'again' }]), model)
  expect(model.calls.map(({ systemPrompt, settings, messages }) => [systemPrompt, settings, messages.length])).toEqual([
    ['Be brief.', { temperature: 0 }, 1],
    ['Be brief.', { temperature: 0 }, 1],
  ])
  expect(second.messages.map(({ content }) => content)).toEqual(['hi', 'one', 'again', 'two'])
})
