// Tools chosen by what the store holds. Run: npx tsx --conditions=@cepa/source examples/tools-by-store.ts
import { createAgent, createMiddleware, tool } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { memoryStore } from 'cepa/stores/memory'
import { z } from 'zod'

const make = (name: string) => tool(() => `${name} done`, { name, description: `Does ${name}.` })

const byStore = createMiddleware({
  name: 'by-store',
  contextSchema: z.object({ userId: z.string() }),
  wrapModelCall: async (request, handler) => {
    const flags = await request.runtime.store.get<{ enabledTools: string[] }>(['features'], request.context.userId)
    if (flags === null) return handler(request) // nothing is stored for this user: nothing is filtered
    const { enabledTools } = flags.value
    return handler(request.override({ tools: request.tools.filter(({ name }) => enabledTools.includes(name)) }))
  },
})

const store = memoryStore()
await store.put(['features'], 'ada', { enabledTools: ['search', 'analysis'] })

// Offline: this model says what it is offered. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel((call) => `I am offered ${call.tools.map(({ name }) => name).join(', ') || 'nothing'}.`)
const agent = createAgent({
  model,
  tools: [make('search'), make('analysis'), make('export')],
  middleware: [byStore],
  store,
})

for (const userId of ['ada', 'linus']) {
  const { output } = await agent.invoke('What can you do?', { context: { userId } })
  console.log(`${userId}: ${output}`)
}

await store.put(['features'], 'ada', { enabledTools: [] })
const { output } = await agent.invoke('And now?', { context: { userId: 'ada' } })
console.log(`ada, switched off: ${output}`)
