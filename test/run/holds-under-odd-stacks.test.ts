import {
  type AnyTool,
  allow,
  command,
  createAgent,
  createMiddleware,
  deny,
  errorInfo,
  tool,
  toolMessage,
  user,
} from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rejection } from './checked.js'

const counted = (name: string): { ran: () => number; tool: AnyTool } => {
  let count = 0
  const made = tool(
    () => {
      count++
      return 'done'
    },
    { name, description: name },
  )
  return { ran: () => count, tool: made }
}

describe('a policy', () => {
  it.each([undefined, null, ''])('denies without a usable reason: %s', async (reason) => {
    const pay = counted('pay')
    const policy = createMiddleware({ name: 'policy', authorizeToolCall: () => deny(reason as unknown as string) })
    const model = scriptedModel([{ toolCalls: [toolCall('pay')] }, 'ok'])
    const { messages } = await createAgent({ model, tools: [pay.tool], middleware: [policy] }).invoke('go')
    expect(pay.ran()).toBe(0)
    expect(messages[2]).toMatchObject({ role: 'tool', status: 'denied', content: expect.stringMatching(/./) })
  })

  it('allows what it allows', async () => {
    const pay = counted('pay')
    const policy = createMiddleware({ name: 'policy', authorizeToolCall: () => allow() })
    const model = scriptedModel([{ toolCalls: [toolCall('pay')] }, 'ok'])
    await createAgent({ model, tools: [pay.tool], middleware: [policy] }).invoke('go')
    expect(pay.ran()).toBe(1)
  })
})

describe('maxTurns', () => {
  it('holds for turns that afterAgent asks for', async () => {
    let hooks = 0
    const again = createMiddleware({
      name: 'again',
      afterAgent: () => {
        hooks++
        return command({ goto: 'model', update: { messages: [user('Try again.')] } })
      },
    })
    const agent = createAgent({ model: scriptedModel(() => 'no'), middleware: [again], maxTurns: 5 })
    expect((await agent.invoke('go')).stopReason).toBe('maxTurns')
    expect(hooks).toBe(5)
  })

  it('bounds an agent that calls itself', async () => {
    let calls = 0
    const model = scriptedModel(() => {
      calls++
      return { toolCalls: [toolCall('sub', { input: 'q' })] }
    })
    const self = createMiddleware({ name: 'self', tools: () => [agent.asTool({ name: 'sub', description: 'sub' })] })
    const agent: { asTool(options: { name: string; description: string }): AnyTool } & ReturnType<typeof createAgent> =
      createAgent({ model, middleware: [self], maxTurns: 4 })
    expect((await agent.invoke('go')).stopReason).toBe('maxTurns')
    expect(calls).toBe(4)
  })
})

describe('what was offered', () => {
  it('does not change with the array that a layer goes on using', async () => {
    const danger = counted('danger')
    const layer = createMiddleware({
      name: 'layer',
      wrapModelCall: async (request, handler) => {
        const list: AnyTool[] = []
        const response = await handler(request.override({ tools: list }))
        list.push(danger.tool)
        return response
      },
    })
    const model = scriptedModel([{ toolCalls: [toolCall('danger')] }, 'ok'])
    await createAgent({ model, tools: [danger.tool], middleware: [layer] }).invoke('go')
    expect(danger.ran()).toBe(0)
  })

  it.each(['native', 'tool'] as const)('holds no tool of the name that a %s answer needs', async (strategy) => {
    const mine = counted('final_answer')
    const model = scriptedModel([], { profile: { nativeStructuredOutput: true } })
    const responseFormat = { schema: z.object({ a: z.number() }), strategy }
    const agent = createAgent({ model, tools: [mine.tool], responseFormat })
    expect(await rejection(agent.invoke('go'))).toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/final_answer/),
    })
  })

  it('holds no call of that name where the answer is native', async () => {
    const model = scriptedModel([{ toolCalls: [toolCall('final_answer', { a: 1 })] }, '{"a":2}'], {
      profile: { nativeStructuredOutput: true },
    })
    const { structured, messages } = await createAgent({ model, responseFormat: z.object({ a: z.number() }) }).invoke(
      'go',
    )
    expect(structured).toEqual({ a: 2 })
    expect(messages[2]).toMatchObject({ role: 'tool', status: 'error' })
  })
})

it('errorInfo tells of the latest run that rejected with an error', async () => {
  const reason = new Error('stop')
  for (const who of ['alice', 'bob']) {
    await rejection(createAgent({ model: scriptedModel([reason]) }).invoke(who))
    expect(errorInfo(reason)?.messages[0]?.content).toBe(who)
  }
})

it('two schemas that give one key of the context different values are refused', async () => {
  const role = (name: string, value: 'guest' | 'admin') =>
    createMiddleware({ name, contextSchema: z.object({ role: z.enum(['guest', 'admin']).default(value) }) })
  const agent = createAgent({ model: scriptedModel(['ok']), middleware: [role('a', 'guest'), role('b', 'admin')] })
  expect(await rejection(agent.invoke('go'))).toMatchObject({ code: 'CONFIG', message: expect.stringMatching(/role/) })
  expect((await agent.invoke('go', { context: { role: 'guest' } })).output).toBe('ok')
})

it('a handler that is called when its turn is over runs nothing', async () => {
  const pay = counted('pay')
  let late: (() => Promise<unknown>) | undefined
  const keeper = createMiddleware({
    name: 'keeper',
    wrapToolCall: async (request, handler) => {
      late = () => handler(request)
      return { message: toolMessage('short') }
    },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('pay')] }, 'ok'])
  await createAgent({ model, tools: [pay.tool], middleware: [keeper] }).invoke('go')
  expect(await rejection((late as () => Promise<unknown>)())).toMatchObject({ code: 'STEP_TWICE' })
  expect(pay.ran()).toBe(0)
})

it.each([3, {}, undefined, { role: 'tool' }])('toolErrors may not give %o', async (value) => {
  const broken = tool(
    () => {
      throw new Error('boom')
    },
    { name: 'broken', description: 'broken' },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('broken')] }])
  const agent = createAgent({ model, tools: [broken], toolErrors: () => value as unknown as string })
  expect(await rejection(agent.invoke('go'))).toMatchObject({
    code: 'CONFIG',
    message: expect.stringMatching(/toolErrors: expected a text/),
  })
})

it.each([[null], [{ id: 'a' }], [{ id: 3, function: { name: 'f' } }], 'x'].map((calls) => [calls]))(
  'an input with the calls %j is refused',
  async (calls) => {
    const message = { role: 'assistant', content: null, tool_calls: calls }
    const agent = createAgent({ model: scriptedModel(['ok']) })
    expect(await rejection(agent.invoke([message as never]))).toMatchObject({ code: 'CONFIG' })
  },
)

it.each([3, [null]])('a layer may not give the updates %j', async (updates) => {
  const layer = createMiddleware({
    name: 'layer',
    wrapModelCall: async (request, handler) => ({ ...(await handler(request)), updates: updates as never }),
  })
  const agent = createAgent({ model: scriptedModel(['ok']), middleware: [layer] })
  expect(await rejection(agent.invoke('go'))).toMatchObject({
    code: 'LAYER_RESULT',
    message: expect.stringMatching(/"layer"/),
  })
})
