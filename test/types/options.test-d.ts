import { type AgentOptions, createAgent, type RunOptions, tool } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import * as z from 'zod'
import type { Equal, Expect } from './equal.js'

// What may be absent may be undefined, as a value that is looked up is.
const run: Required<{ [K in keyof RunOptions]: undefined }> = {
  threadId: undefined,
  signal: undefined,
  tools: undefined,
  tags: undefined,
  metadata: undefined,
  callbacks: undefined,
  maxTurns: undefined,
  onConflict: undefined,
}
const own: Required<{ [K in Exclude<keyof AgentOptions, 'model' | 'middleware'>]: undefined }> = {
  name: undefined,
  tools: undefined,
  systemPrompt: undefined,
  stateSchema: undefined,
  contextSchema: undefined,
  responseFormat: undefined,
  toolChoice: undefined,
  settings: undefined,
  checkpointer: undefined,
  store: undefined,
  maxTurns: undefined,
  toolConcurrency: undefined,
  toolErrors: undefined,
  onConflict: undefined,
}
const options: AgentOptions = { model: 'openai:gpt-5.4', ...own }
const plain = createAgent({
  model: scriptedModel(['hi']),
  name: undefined,
  tools: undefined,
  systemPrompt: undefined,
  settings: undefined,
  store: undefined,
  maxTurns: undefined,
})
const ran = plain.invoke('go', { ...run, context: undefined })

// The types still follow from what is given.
const add = tool(({ a }) => a, { name: 'add', description: 'A.', schema: z.object({ a: z.number() }) })
const typed = createAgent({
  model: scriptedModel(['hi']),
  tools: [add],
  stateSchema: { n: z.number().default(0) },
  responseFormat: z.object({ ok: z.boolean() }),
  systemPrompt: undefined,
})
type Result = Awaited<ReturnType<typeof typed.invoke>>
export type Cases = [
  Expect<Equal<Result['structured'], { ok: boolean } | undefined>>,
  Expect<Equal<Result['state']['n'], number>>,
]
export { options, ran }
