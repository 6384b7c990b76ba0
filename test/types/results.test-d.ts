import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type AgentEvent, createAgent, type Message, type Part, type StopReason } from 'cepa'
import * as v from 'valibot'
import * as z from 'zod'
import type { Equal, Expect } from './equal.js'

const model = 'openai:gpt'
const weather = z.object({ city: z.string(), degrees: z.number().default(0) })
type Weather = { city: string; degrees: number }
type Structured<A extends { invoke(input: string): Promise<{ structured: unknown }> }> = Awaited<
  ReturnType<A['invoke']>
>['structured']

const bySchema = createAgent({ model, responseFormat: weather })
const byFormat = createAgent({ model, responseFormat: { schema: weather, strategy: 'tool', repairs: 2 } })
const byValibot = createAgent({ model, responseFormat: toStandardJsonSchema(v.object({ city: v.string() })) })
const byJsonSchema = createAgent({ model, responseFormat: { type: 'object', properties: {} } })
const without = createAgent({ model })
const widened = bySchema.use(async (_run, next) => next()).with()

export type Answers = [
  Expect<Equal<Structured<typeof bySchema>, Weather | undefined>>,
  Expect<Equal<Structured<typeof byFormat>, Weather | undefined>>,
  Expect<Equal<Structured<typeof byValibot>, { city: string } | undefined>>,
  Expect<Equal<Structured<typeof byJsonSchema>, unknown>>,
  Expect<Equal<Structured<typeof without>, unknown>>,
  Expect<Equal<Structured<typeof widened>, Weather | undefined>>,
]

export async function read(): Promise<void> {
  const result = await bySchema.invoke('hi')
  const known: [readonly Message[], string | Part[], StopReason, string | null] = [
    result.messages,
    result.output,
    result.stopReason,
    result.threadId,
  ]
  void known
  // @ts-expect-error: it may be undefined
  result.structured.city
  // @ts-expect-error: a result is read-only
  result.messages = []

  const stream = bySchema.stream('hi')
  for await (const event of stream) {
    const one: AgentEvent = event
    if (one.type === 'delta' && one.delta.type === 'text') one.delta.text satisfies string
    // @ts-expect-error: only some events have a message
    one.message
  }
  for await (const text of stream.text) text satisfies string
  const { structured } = await stream.result
  structured?.degrees satisfies number | undefined
}
