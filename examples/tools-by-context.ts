// Tools chosen by the role in the context. Run: npx tsx --conditions=@cepa/source examples/tools-by-context.ts
import { createAgent, createMiddleware, tool } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { z } from 'zod'

const make = (name: string) => tool(() => `${name} done`, { name, description: `Does ${name}.` })

const byContext = createMiddleware({
  name: 'by-context',
  // Without a context, or without a role in it, the most restrictive role holds. An unknown role is a ConfigError.
  contextSchema: z.object({ role: z.enum(['viewer', 'editor', 'admin']).default('viewer') }),
  wrapModelCall: (request, handler) => {
    const { role } = request.context
    const allowed = request.tools.filter(({ name }) => {
      if (role === 'admin') return true
      if (role === 'editor') return name !== 'delete_data'
      return name.startsWith('read_')
    })
    return handler(request.override({ tools: allowed }))
  },
})

// Offline: this model says what it is offered. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel((call) => `I am offered ${call.tools.map(({ name }) => name).join(', ')}.`)
const agent = createAgent({
  model,
  tools: [make('read_data'), make('write_data'), make('delete_data')],
  middleware: [byContext],
})

for (const role of ['admin', 'editor', 'viewer'] as const) {
  const { output } = await agent.invoke('What can you do?', { context: { role } })
  console.log(`${role}: ${output}`)
}
const { output } = await agent.invoke('What can you do?')
console.log(`no context: ${output}`)
