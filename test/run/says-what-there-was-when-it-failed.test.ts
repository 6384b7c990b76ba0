import { createAgent, createMiddleware, errorInfo, type Hooks, tool, wrapModelCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checkHistory } from '../invariants.js'
import { checked, rejection } from './checked.js'

const boom = () => {
  throw new Error('boom')
}
const HOOKS: (keyof Hooks)[] = [
  'wrapRun',
  'wrapTurn',
  'wrapModelCall',
  'wrapToolCall',
  'beforeAgent',
  'beforeModel',
  'afterModel',
  'afterAgent',
  'tools',
]
const free = tool(() => 'x', { name: 'free', description: 'F.' })
const script = () => scriptedModel([{ toolCalls: [toolCall('free')] }, 'done'])
const pass = createMiddleware({
  name: 'pass',
  wrapRun: (_run, next) => next(),
  wrapTurn: (_turn, next) => next(),
  wrapModelCall: (_request, handler) => handler(),
  wrapToolCall: (_request, handler) => handler(),
})

describe('errorInfo', () => {
  it.each(HOOKS)('names the middleware whose %s threw, innermost or not', async (hook) => {
    for (const order of [0, 1]) {
      const failing = createMiddleware({ name: 'failing', [hook]: boom })
      const middleware = order === 0 ? [pass, failing] : [failing, pass]
      const agent = createAgent({ model: script(), tools: [free], middleware, toolErrors: 'throw' })
      const error = await rejection(agent.invoke('go'))
      expect(error).toMatchObject({ message: 'boom' })
      const info = errorInfo(error)
      expect(info).toMatchObject({ layer: 'failing', runId: expect.stringMatching(/^[0-9a-f]{32}$/) })
      checkHistory(info?.messages ?? [])
    }
  })

  it('names nobody for what a model or a tool threw, and has the usage so far', async () => {
    const fromModel = new Error('model')
    const model = scriptedModel([{ toolCalls: [toolCall('free')], usage: { input: 3 } }, fromModel])
    const error = await rejection(createAgent({ model, tools: [free], middleware: [pass] }).invoke('go'))
    expect(error).toBe(fromModel)
    expect(errorInfo(error)).toMatchObject({ usage: { requests: 2, input: 3 } })
    expect(errorInfo(error)).not.toHaveProperty('layer')
    expect(errorInfo(error)?.messages).toHaveLength(3)
    const failing = tool(boom, { name: 'free', description: 'F.' })
    const thrown = createAgent({ model: script(), tools: [failing], middleware: [pass], toolErrors: 'throw' })
    expect(errorInfo(await rejection(thrown.invoke('go')))).not.toHaveProperty('layer')
  })

  it('a layer that throws another error is named for that one', async () => {
    const other = createMiddleware({
      name: 'other',
      wrapModelCall: async (_request, handler) => {
        try {
          return await handler()
        } catch (cause) {
          throw new Error('other', { cause })
        }
      },
    })
    const agent = createAgent({ model: scriptedModel([new Error('model')]), middleware: [pass, other] })
    expect(errorInfo(await rejection(agent.invoke('go')))).toMatchObject({ layer: 'other' })
  })

  it('knows nothing of errors and values that no run rejected with', () => {
    for (const value of [new Error('x'), undefined, null, 'x', {}]) expect(errorInfo(value)).toBeUndefined()
  })

  it('errors of any kind pass as the same value, primitives too', async () => {
    for (const thrown of ['text', 0, undefined, null, { code: 1 }]) {
      const failing = wrapModelCall(() => Promise.reject(thrown))
      const agent = createAgent({ model: scriptedModel([]), middleware: [pass, failing] })
      expect(await rejection(agent.invoke('go'))).toBe(thrown)
    }
  })
})

it('case 12: what a rescue does not mean to catch passes it as the same object', async () => {
  const bug = new TypeError('boom')
  const model = scriptedModel([bug])
  const retry = wrapModelCall(async (_request, handler) => {
    try {
      return await handler()
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error
      return handler()
    }
  })
  expect(await rejection(createAgent({ model, middleware: [retry] }).invoke('go'))).toBe(bug)
  expect(model.calls).toHaveLength(1)
  checked({ messages: errorInfo(bug)?.messages ?? [], interrupts: [], done: [] })
})
