// An agent with one tool. Run: npx tsx --conditions=@cepa/source examples/first-agent.ts
import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

const weather = tool(({ city, days }) => ({ city, forecast: Array.from({ length: days }, () => 'rain') }), {
  name: 'weather',
  description: 'The forecast for a city.',
  schema: z.object({
    city: z.string().describe('The name of the city'),
    days: z.number().int().min(1).default(1).describe('How many days, from today'),
  }),
})

// Offline, so the model plays a script. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel([
  { toolCalls: [toolCall('weather', { city: 'Oslo' })] },
  'Take an umbrella: it rains in Oslo today.',
])

const agent = createAgent({ model, tools: [weather], systemPrompt: 'You answer briefly.' })

const { output, messages, stopReason, usage } = await agent.invoke('Do I need an umbrella in Oslo?')

for (const { role, content } of messages) console.log(`${role}: ${content ?? '(calls a tool)'}`)
console.log(`output: ${output}`)
console.log(`ended by ${stopReason} after ${usage.requests} model requests`)
