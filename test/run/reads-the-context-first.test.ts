import { createAgent, isAgentError, tool } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import * as z from 'zod'

const setup = (contextSchema: unknown) => {
  const seen: unknown[] = []
  const agent = createAgent({
    model: scriptedModel(['ok', 'ok']),
    contextSchema,
    middleware: [
      async (run, next) => {
        seen.push(run.runtime.context)
        await next()
      },
    ],
  })
  return { agent, seen }
}

test('an asynchronous schema of the context is awaited, and its misfit is a ConfigError before any step', async () => {
  const { agent, seen } = setup(
    z.object({
      user: z.string().refine(async (user) => user !== 'eve', 'is not allowed'),
      plan: z.string().default('free'),
    }),
  )
  await agent.invoke('Hi', { context: { user: 'ann' } } as never)
  expect(seen).toEqual([{ user: 'ann', plan: 'free' }])
  expect(Object.isFrozen(seen[0])).toBe(true)
  const error = await agent.invoke('Hi', { context: { user: 'eve' } } as never).catch((thrown: unknown) => thrown)
  expect(isAgentError(error) && error.code).toBe('CONFIG')
  expect((error as Error).message).toMatch(/^context: does not fit what the agent expects: user: is not allowed; got /)
  expect(seen).toHaveLength(1)
})

test('plain JSON Schema is a schema of the context', async () => {
  const { agent, seen } = setup({ type: 'object', properties: { user: { type: 'string' } }, required: ['user'] })
  await agent.invoke('Hi', { context: { user: 'ann' } } as never)
  await expect(agent.invoke('Hi')).rejects.toThrow('user: is required, but missing')
  expect(seen).toEqual([{ user: 'ann' }])
})

test('a context may hold what JSON cannot write', async () => {
  class Database {}
  const database = new Database()
  const { agent, seen } = setup(z.object({ database: z.instanceof(Database), count: z.bigint() }))
  await agent.invoke('Hi', { context: { database, count: 1n } } as never)
  expect(seen).toEqual([{ database, count: 1n }])
  expect((seen[0] as { database: unknown }).database).toBe(database)
})

test('a stream is given before the context is read, and rejects where it misfits', async () => {
  const { agent } = setup(z.object({ user: z.string() }))
  const stream = agent.stream('Hi', { context: {} } as never)
  await expect(stream.result).rejects.toThrow(/^context: does not fit/)
})

test('a sub-agent reads what its caller has parsed by its own schema', async () => {
  const child = setup(z.object({ user: z.string() }))
  const schema = z.object({ user: z.string().transform((user) => user.toUpperCase()) })
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    contextSchema: schema,
    execute: async (_args, runtime) => {
      await runtime.child(child.agent as never).invoke('Hi' as never)
      return 'asked'
    },
  })
  const agent = createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'ask', args: {} }] }, 'done']),
    tools: [ask],
  })
  await agent.invoke('Hi', { context: { user: 'ann' } })
  expect(child.seen).toEqual([{ user: 'ANN' }])
})
