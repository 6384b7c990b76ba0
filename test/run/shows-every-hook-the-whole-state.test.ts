import { createAgent, createMiddleware, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from './checked.js'

it('case 2: layers and hooks of every middleware see what any hook wrote in the same turn', async () => {
  const seen: Record<string, unknown>[] = []
  const note = (at: string, state: object): void => {
    const { n, m } = state as { n?: number; m?: string }
    seen.push({ at, n, m })
  }
  const a = createMiddleware({
    name: 'A',
    stateSchema: { n: z.number().default(0) },
    beforeModel: (state) => ({ n: state.n + 1 }),
    wrapModelCall: (request, handler) => {
      note('A model', request.state)
      return handler(request)
    },
    wrapToolCall: (request, handler) => {
      note('A tool', request.state)
      return handler(request)
    },
  })
  const b = createMiddleware({
    name: 'B',
    stateSchema: { m: z.string().default('-') },
    beforeModel: (state) => {
      note('B beforeModel', state)
      return { m: `${state.messages.length}` }
    },
    afterModel: (state) => note('B afterModel', state),
    wrapTurn: async (turn, next) => {
      await next()
      note('B wrapTurn', turn.state)
    },
    wrapRun: async (run, next) => {
      await next()
      note('B wrapRun', run.state)
    },
    afterAgent: (state) => note('B afterAgent', state),
  })
  const echo = tool((_args, runtime) => note('tool', runtime.state), { name: 'echo', description: 'E.' })
  const model = scriptedModel([{ toolCalls: [toolCall('echo')] }, 'done'])
  checked(await createAgent({ model, tools: [echo], middleware: [a, b] }).invoke('go'), model)
  expect(seen).toEqual([
    { at: 'B beforeModel', n: 1, m: '-' },
    { at: 'A model', n: 1, m: '1' },
    { at: 'B afterModel', n: 1, m: '1' },
    { at: 'A tool', n: 1, m: '1' },
    { at: 'tool', n: 1, m: '1' },
    { at: 'B wrapTurn', n: 1, m: '1' },
    { at: 'B beforeModel', n: 2, m: '1' },
    { at: 'A model', n: 2, m: '3' },
    { at: 'B afterModel', n: 2, m: '3' },
    { at: 'B wrapTurn', n: 2, m: '3' },
    { at: 'B afterAgent', n: 2, m: '3' },
    { at: 'B wrapRun', n: 2, m: '3' },
  ])
})

it('all calls of a batch see the same state, whatever a sibling wrote', async () => {
  const seen: number[] = []
  const count = createMiddleware({
    name: 'count',
    stateSchema: { n: z.number().default(0) },
    wrapToolCall: async (request, handler) => {
      seen.push(request.state.n)
      return { ...(await handler(request)), updates: [{ n: request.state.n + 1 }] }
    },
  })
  const echo = tool(() => 'x', { name: 'echo', description: 'E.' })
  const model = scriptedModel([{ toolCalls: [toolCall('echo'), toolCall('echo')] }, 'done'])
  const agent = createAgent({ model, tools: [echo], middleware: [count], toolConcurrency: 1 })
  const result = checked(await agent.invoke('go'), model)
  expect(seen).toEqual([0, 0])
  expect(result.state.n).toBe(1)
})

it('case 3: hooks that give a copy of the whole state back change nothing, also when an answer is asked for again', async () => {
  const copy = (name: string) => createMiddleware({ name, afterModel: (state) => ({ ...state }) })
  const model = scriptedModel(['{"n":"x"}', '{"n":1}'])
  const agent = createAgent({
    model,
    middleware: [copy('one'), copy('two')],
    responseFormat: z.object({ n: z.number() }),
  })
  const result = checked(await agent.invoke('go'), model)
  expect(result).toMatchObject({ stopReason: 'stop', structured: { n: 1 } })
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})
