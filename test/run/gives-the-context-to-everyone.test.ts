import { createAgent, createMiddleware, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked, rejection } from './checked.js'

it('the context is parsed once, by every schema, frozen, with defaults, and the same object everywhere', async () => {
  let parsed = 0
  const seen = new Set<unknown>()
  const look = createMiddleware({
    name: 'look',
    contextSchema: z.object({
      user: z.string().transform((name) => {
        parsed++
        return name.toUpperCase()
      }),
      plan: z.object({ level: z.number() }).default({ level: 1 }),
    }),
    wrapRun: async (run, next) => {
      seen.add(run.context)
      await next()
    },
    wrapTurn: async (turn, next) => {
      seen.add(turn.context)
      await next()
    },
    wrapModelCall: (request, handler) => {
      seen.add(request.context).add(request.runtime.context)
      return handler()
    },
    wrapToolCall: (request, handler) => {
      seen.add(request.context)
      return handler()
    },
    beforeAgent: (_state, { context }) => void seen.add(context),
    afterAgent: (_state, { context }) => void seen.add(context),
    authorizeToolCall: (request) => {
      seen.add(request.context)
      return { verdict: 'allow' }
    },
  })
  const t = tool((_args, { context }) => void seen.add(context), {
    name: 't',
    description: 'T.',
    contextSchema: z.object({ tenant: z.string().default('none') }),
  })
  const model = scriptedModel([{ toolCalls: [toolCall('t')] }, 'done'])
  const agent = createAgent({ model, tools: [t], middleware: [look] })
  const context = { user: 'ann' }
  checked(await agent.invoke('go', { context }), model)
  expect(parsed).toBe(1)
  expect([...seen]).toEqual([{ user: 'ANN', plan: { level: 1 }, tenant: 'none' }])
  const [given] = seen as Set<{ plan: { level: number } }>
  expect(() => {
    given!.plan.level = 2
  }).toThrow(TypeError)
  expect(context).toEqual({ user: 'ann' })
})

it('a context that does not fit is a ConfigError with owner and path, before anything runs', async () => {
  let ran = 0
  const need = createMiddleware({
    name: 'need',
    contextSchema: z.object({ user: z.object({ id: z.number() }) }),
    beforeAgent: () => void ran++,
  })
  const model = scriptedModel([])
  const agent = createAgent({ model, middleware: [need] })
  for (const context of [{ user: { id: 'x' } }, { user: {} }, {}, undefined]) {
    const run = async () => agent.invoke('go', { context: context as never })
    expect(await rejection(run())).toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/middleware "need".*user/),
    })
  }
  expect([ran, model.calls.length]).toEqual([0, 0])
})

it('without a schema the context is handed on, as a frozen copy', async () => {
  const context = { live: new Map([['a', 1]]), list: [1] }
  const seen: Record<string, unknown>[] = []
  const look = createMiddleware({ name: 'look', beforeAgent: (_state, runtime) => void seen.push(runtime.context) })
  await createAgent({ model: scriptedModel(['x']), middleware: [look] }).invoke('go', { context })
  expect(seen[0]?.live).toBe(context.live)
  expect(Object.isFrozen(seen[0])).toBe(true)
  expect(Object.isFrozen(context)).toBe(false)
})
