// An agent as a tool of another. Run: npx tsx --conditions=@cepa/source examples/sub-agent.ts
import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

const search = tool(({ query }) => `3 pages about ${query}`, {
  name: 'search',
  description: 'Searches the library.',
  schema: z.object({ query: z.string() }),
})

// Offline, so both models play scripts. With real ones: model: 'openai:gpt-5.4'
const researcher = createAgent({
  name: 'researcher',
  model: scriptedModel([{ toolCalls: [toolCall('search', { query: 'onions' })] }, 'Onions have layers.']),
  tools: [search],
})

const writer = createAgent({
  name: 'writer',
  model: scriptedModel([
    { toolCalls: [toolCall('research', { input: 'What is special about onions?' })] },
    'An essay: onions have layers.',
  ]),
  tools: [researcher.asTool({ name: 'research', description: 'Looks something up.' })],
})

// Its events come through with the path of the call that it runs in; its usage is added to this run's.
const stream = writer.stream('Write about onions.')
for await (const event of stream) {
  const depth = '  '.repeat(event.path.length)
  if (event.type === 'tool-start') console.log(`${depth}→ ${event.toolCall.name}`)
  if (event.type === 'tool-result') console.log(`${depth}← ${event.message.content}`)
}
const { output, usage } = await stream.result
console.log(output)
console.log(`${usage.requests} model requests in all`)
