import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { type AnyTool, createAgent, Secret, secret, type ToolRuntime, tool } from 'cepa'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod3'
import type { Equal, Expect } from './equal.js'

const description = 'Does something.'
type City = { city: string; days: number }

// Arguments are what the schema makes, whichever library made it.
tool((args) => expectCity(args), {
  name: 'zod4',
  description,
  schema: z.object({ city: z.string(), days: z.number().default(1) }),
})
tool((args) => expectCity(args), {
  name: 'mini',
  description,
  schema: mini.object({ city: mini.string(), days: mini._default(mini.number(), 1) }),
})
tool((args) => expectCity(args), {
  name: 'zod3',
  description,
  schema: z3.object({ city: z3.string(), days: z3.number().default(1) }),
})
tool((args) => expectCity(args), {
  name: 'valibot',
  description,
  schema: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
})
tool((args) => expectCity(args), { name: 'arktype', description, schema: type({ city: 'string', days: 'number = 1' }) })
function expectCity<T extends City>(args: Equal<T, City> extends true ? T : never): string {
  return args.city
}

tool({
  name: 'object',
  description,
  schema: z.object({ city: z.string() }),
  execute: ({ city }) => city.toUpperCase(),
})

// JSON Schema has no types: arguments are unknown values, or what the body says that they are.
const jsonSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
tool(({ city }) => city satisfies unknown, { name: 'json', description, schema: jsonSchema })
tool(({ city }: { city: string }) => city.length, { name: 'json', description, schema: jsonSchema })

// Without a schema there are no arguments.
// @ts-expect-error: there is no schema that declares `city`
tool(({ city }) => city, { name: 'none', description })

const schema = z.object({ city: z.string() })
// @ts-expect-error: no number
tool(({ city }) => city.toFixed(), { name: 'wrong', description, schema })
// @ts-expect-error: the schema has no `town`
tool(({ town }) => town, { name: 'wrong', description, schema })
// @ts-expect-error: the body wants what the schema does not make
tool(({ city }: { city: number }) => city, { name: 'wrong', description, schema })
// @ts-expect-error: the same in the other form
tool({ name: 'wrong', description, schema, execute: ({ city }: { city: number }) => city })
// @ts-expect-error: a tool needs a description
tool(() => '', { name: 'wrong' })
// @ts-expect-error: misspelt
tool(() => '', { name: 'wrong', description, returnDirekt: true })
// @ts-expect-error: no such format
tool(() => '', { name: 'wrong', description, responseFormat: 'artifact' })
// @ts-expect-error: in this form the name must be given
tool({ description, execute: () => '' })

// Names are kept literally, also by with(); the copy is still a tool of the same arguments.
const weather = tool(({ city }) => city, { name: 'weather', description, schema })
const forecast = weather.with({ name: 'forecast' })
const onClient = tool({ name: 'geo', description, schema }).implement(({ city }) => city.length)
export type Names = [
  Expect<Equal<typeof weather.name, 'weather'>>,
  Expect<Equal<typeof forecast.name, 'forecast'>>,
  Expect<Equal<typeof onClient.name, 'geo'>>,
]
// @ts-expect-error: the schema has no `town`
tool({ name: 'geo', description, schema }).implement(({ town }) => town)
// @ts-expect-error: a tool is frozen
weather.name = 'other'
export const list: readonly AnyTool[] = [weather, forecast, onClient]

// Dependencies: what `inject` makes is what `runtime.deps` has, awaited.
tool((_args, { deps }) => [deps.db.rows.toFixed(), deps.key.reveal().length, deps.late.at(0)], {
  name: 'deps',
  description,
  inject: { db: () => ({ rows: 1 }), key: secret(() => process.env.KEY), late: async () => ['a'] },
})
tool((_args, { deps }) => deps.key.reveal().length, {
  name: 'deps',
  description,
  inject: { key: () => new Secret('x') },
})
tool((_args, { deps }) => deps.id.length, {
  name: 'deps',
  description,
  inject: { id: (runtime: ToolRuntime) => runtime.toolCallId },
})
tool({
  name: 'deps',
  description,
  contextSchema: z.object({ userId: z.string() }),
  inject: { id: (runtime) => runtime.toolCallId, user: ({ context }) => context.userId, key: secret('x') },
  execute: (_args, { deps }) => [deps.id.length, deps.user.length, deps.key.reveal().length],
})
// @ts-expect-error: nothing is injected
tool((_args, { deps }) => deps.db, { name: 'wrong', description })
// @ts-expect-error: something else is injected
tool((_args, { deps }) => deps.db, { name: 'wrong', description, inject: { key: secret(() => 'x') } })
// @ts-expect-error: a dependency is made by a function
tool(() => '', { name: 'wrong', description, inject: { key: 'x' } })
// @ts-expect-error: a secret has to be opened
tool((_args, { deps }) => deps.key.length, { name: 'wrong', description, inject: { key: secret(() => 'x') } })

// What a tool declares is there in its runtime, and is asked of the agent.
const account = tool(
  (_args, { context, state }) => [context.userId.length, state.visits.toFixed(), state.messages.length],
  {
    name: 'account',
    description,
    contextSchema: z.object({ userId: z.string() }),
    stateSchema: { visits: z.number().default(0) },
  },
)
tool(
  (_args, { context, state }) => {
    // @ts-expect-error: not declared
    void context.tenant
    // @ts-expect-error: not declared
    void state.tenant
    // @ts-expect-error: the history is read-only
    state.messages.push()
    // @ts-expect-error: the context is read-only
    context.userId = 'forged'
  },
  { name: 'reads', description, contextSchema: z.object({ userId: z.string() }) },
)
const agent = createAgent({ model: 'openai:gpt', tools: [weather, account] })
export const run = async (): Promise<number> => {
  // @ts-expect-error: a tool needs the context
  await agent.invoke('hi')
  // @ts-expect-error: a number is no id
  await agent.invoke('hi', { context: { userId: 1 } })
  const { state } = await agent.invoke({ messages: [], visits: 1 }, { context: { userId: 'u1' } })
  return state.visits
}
