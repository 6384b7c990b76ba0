// A typed, validated answer. Run: npx tsx --conditions=@cepa/source examples/structured-output.ts
import { createAgent } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { z } from 'zod'

const Contact = z.object({
  name: z.string(),
  email: z.email(),
  topics: z.array(z.string()).default([]),
})

// Offline, so the model plays a script: its first answer does not fit, and it is told why and asked again.
// With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel(
  ['{"name":"Ada","email":"not an address"}', '{"name":"Ada","email":"ada@example.com","topics":["engines"]}'],
  { profile: { nativeStructuredOutput: true } },
)

// `{ schema: Contact, strategy: 'tool', repairs: 2 }` says how it is asked for; a schema alone leaves that to the model.
const agent = createAgent({ model, responseFormat: Contact })
const { structured, usage } = await agent.invoke('Ada, ada@example.com, likes engines.')

console.log(structured?.name, structured?.email, structured?.topics.join(', ')) // typed from the schema
console.log(`${usage.requests} model requests`)
