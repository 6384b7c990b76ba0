// Tools registered at run time. Run: npx tsx --conditions=@cepa/source examples/tools-at-run-time.ts
import { createAgent, createMiddleware, tool, wrapModelCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

const amount = z.object({ bill: z.number(), percent: z.number().default(20) })
const tipOf = ({ bill, percent }: z.infer<typeof amount>) => `Tip: $${((bill * percent) / 100).toFixed(2)}`

// 1. Added to a request by a layer. It has a body, so it runs: no second hook is needed.
const calculateTip = tool(tipOf, { name: 'calculate_tip', description: 'The tip of a bill.', schema: amount })
const added = wrapModelCall((request, handler) =>
  handler(request.override({ tools: [...request.tools, calculateTip] })),
)

// 2. Only its definition is known, as it comes from a remote registry: the second hook gives it a body.
const definition = tool({ name: 'remote_tip', description: 'The tip of a bill, elsewhere.', schema: amount })
const remote = createMiddleware({
  name: 'remote',
  wrapModelCall: (request, handler) => handler(request.override({ tools: [...request.tools, definition] })),
  wrapToolCall: (request, handler) =>
    request.toolCall.name === 'remote_tip'
      ? handler(request.override({ tool: definition.implement((args) => `${tipOf(amount.parse(args))} (remote)`) }))
      : handler(request),
})

// 3. Found anew before every turn, as from a database: what one turn installs, the next one offers.
const installed: string[] = []
const install = tool(({ name }) => `installed ${installed.push(name)}`, {
  name: 'install',
  description: 'Installs a tool.',
  schema: z.object({ name: z.string() }),
})
const discovered = createMiddleware({
  name: 'discovered',
  tools: async () => installed.map((name) => tool(() => `${name} ran`, { name, description: `Runs ${name}.` })),
})

// Offline, so the model plays a script. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel([
  { toolCalls: [toolCall('calculate_tip', { bill: 85 }), toolCall('remote_tip', { bill: 50 })] },
  { toolCalls: [toolCall('install', { name: 'plot' })] },
  { toolCalls: [toolCall('plot')] },
  'Done.',
])

const agent = createAgent({ model, tools: [install], middleware: [added, remote, discovered] })
const { messages } = await agent.invoke('Calculate a 20 % tip on $85, and plot it.')
for (const message of messages) if (message.role === 'tool') console.log(`${message.name}: ${message.content}`)
for (const [turn, call] of model.calls.entries())
  console.log(`turn ${turn + 1} offered ${call.tools.map(({ name }) => name).join(', ')}`)
