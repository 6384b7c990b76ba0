import { createAgent, createMiddleware, field, tool, withUpdate, wrapModelCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fold } from '../../src/log/fold.js'
import { State, StateSchema } from '../../src/state.js'
import { checked, rejection, tick } from '../run/checked.js'

const fields = {
  sum: field(z.number().default(0), { reducer: (sum, more: number) => sum + more }),
  list: field(z.array(z.number()).default([]), { reducer: (list, more: number) => [...list, more] }),
  last: z.number().optional(),
}
const NAMES = ['sum', 'list', 'last'] as const
const update = fc.dictionary(fc.constantFrom(...NAMES), fc.integer({ min: -9, max: 9 }), { noNullPrototype: true })
const newState = (): State => {
  const schema = new StateSchema()
  schema.declare(fields, 'the test')
  let ids = 0
  return new State(schema, () => String(++ids))
}

describe('reducers', () => {
  it('any split of a list of updates into phases gives the same state; a key changes only itself', () => {
    fc.assert(
      fc.property(fc.array(update), (updates) => {
        const state = newState()
        for (const values of updates) {
          const before = state.view as unknown as Record<string, unknown>
          state.apply({ owner: 'x', values })
          const after = state.view as unknown as Record<string, unknown>
          for (const name of NAMES) if (!(name in values)) expect(after[name]).toBe(before[name])
        }
        const all = (name: 'sum' | 'list' | 'last') => updates.flatMap((values) => values[name] ?? [])
        expect(state.view).toMatchObject({
          sum: all('sum').reduce((sum, more) => sum + more, 0),
          list: all('list'),
          ...(all('last').length > 0 && { last: all('last').at(-1) }),
        })
      }),
      { numRuns: 500 },
    )
  })

  it('replay of the log is the state, whatever wrote it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(update, { minLength: 5, maxLength: 5 }), async (updates) => {
        const [a, b, c, d, e] = updates
        const write = createMiddleware({
          name: 'write',
          stateSchema: fields,
          beforeAgent: () => a,
          beforeModel: () => b,
          afterModel: () => c,
          afterAgent: () => d,
          wrapModelCall: async (_request, handler) => withUpdate(await handler(), e ?? {}),
        })
        const checkpointer = memoryCheckpointer()
        const agent = createAgent({ model: scriptedModel(['x']), middleware: [write], checkpointer })
        const result = checked(await agent.invoke('go', { threadId: 'T' }))
        const replayed = newState()
        fold(await checkpointer.read('T'), replayed)
        expect(replayed.view).toEqual(result.state)
      }),
      { numRuns: 500 },
    )
  }, 30_000)

  it('updates of parallel calls apply in call order, whatever the order of completion', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }), async (delays) => {
        const work = tool(
          async ({ wait }) => {
            for (let left = wait; left > 0; left--) await tick()
          },
          { name: 'work', description: 'W.', schema: z.object({ wait: z.number() }) },
        )
        const note = createMiddleware({
          name: 'note',
          stateSchema: fields,
          wrapToolCall: async (request, handler) => {
            const n = Number(request.toolCall.id)
            return withUpdate(await handler(), { list: n, last: n, sum: 1 })
          },
        })
        const calls = delays.map((wait, index) => toolCall('work', { wait }, String(index)))
        const model = scriptedModel([{ toolCalls: calls }, 'done'])
        const result = checked(await createAgent({ model, tools: [work], middleware: [note] }).invoke('go'), model)
        const order = delays.map((_, index) => index)
        expect(result.state).toMatchObject({ list: order, last: order.at(-1), sum: order.length })
      }),
      { numRuns: 500 },
    )
  }, 60_000)
})

describe('an update', () => {
  it('of a failed attempt vanishes with it; those of the one that counts go inner first', async () => {
    const layer = (name: string, n: number) =>
      createMiddleware({
        name,
        stateSchema: fields,
        wrapModelCall: async (_request, handler) => withUpdate(await handler(), { list: n }),
      })
    const retry = wrapModelCall(async (_request, handler) => {
      await handler()
      return handler()
    })
    const model = scriptedModel(['one', 'two'])
    const middleware = [layer('outer', 2), retry, layer('inner', 1)]
    const result = checked(await createAgent({ model, middleware }).invoke('go'), model)
    expect(result.state).toMatchObject({ list: [1, 2] })
  })

  it.each([
    ['an unknown key', { nope: 1 }, /"careless".*"nope"/],
    ['a value that does not fit', { last: 'x' }, /"careless".*"last"/],
    ['no message', { messages: [{ role: 'nobody' }] }, /"careless".*messages\[0\]/],
    ['a text', 'text', /"careless".*got "text"/],
    ['a list', [], /"careless".*got an array/],
  ])('with %s is a StateError that names key and middleware', async (_title, given, message) => {
    const careless = createMiddleware({ name: 'careless', stateSchema: fields, afterModel: () => given as never })
    const error = await rejection(createAgent({ model: scriptedModel(['x']), middleware: [careless] }).invoke('go'))
    expect(error).toMatchObject({ code: 'STATE', message: expect.stringMatching(message) })
  })

  it('of a reducer that throws is a StateError with that as its cause', async () => {
    const boom = new Error('boom')
    const failing = createMiddleware({
      name: 'failing',
      stateSchema: {
        n: field(z.number().default(0), {
          reducer: () => {
            throw boom
          },
        }),
      },
      beforeModel: () => ({ n: 1 }),
    })
    const error = await rejection(createAgent({ model: scriptedModel([]), middleware: [failing] }).invoke('go'))
    expect(error).toMatchObject({ code: 'STATE', message: expect.stringContaining('"n"'), cause: boom })
  })

  it('case 128: an own __proto__ key is data or refused, never applied', async () => {
    const poison = JSON.parse('{"__proto__":{"x":1},"constructor":{"x":1}}') as Record<string, unknown>
    const seen: unknown[] = []
    const take = tool((args) => void seen.push(args), {
      name: 'take',
      description: 'T.',
      schema: { type: 'object', properties: {}, additionalProperties: true },
      stateSchema: { data: z.record(z.string(), z.unknown()).default({}) },
    })
    const model = scriptedModel([{ toolCalls: [toolCall('take', '{"__proto__":{"x":1}}')] }, 'done'])
    const agent = createAgent({ model, tools: [take] })
    checked(await agent.invoke({ messages: [], data: poison }), model)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
    expect(Object.getPrototypeOf(seen[0])).toBe(Object.prototype)
    for (const input of [poison, { state: poison }]) {
      expect(await rejection(agent.invoke(input as never))).toMatchObject({ code: 'CONFIG' })
    }
  })
})
