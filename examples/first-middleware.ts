// Middleware of all four rings. Run: npx tsx --conditions=@cepa/source examples/first-middleware.ts
import { command, createAgent, createMiddleware, field, type RunStep, tool, withUpdate } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

// Ring 1, the run. A plain Koa function: what is before `next()` happens on the way in, what is behind it on the way out.
const log: RunStep = async (run, next) => {
  console.log('run begins')
  try {
    await next()
  } finally {
    console.log(`run ends: ${run.result?.stopReason ?? 'it failed'}`)
  }
}

// Rings 2, 3 and 4, and a hook. State fields are declared, and typed from there on.
const count = createMiddleware({
  name: 'count',
  stateSchema: { toolCalls: field(z.number().default(0), { reducer: (sum, more: number) => sum + more }) },
  wrapTurn: async (turn, next) => {
    await next()
    console.log(`turn ${turn.index} made ${turn.results.length} calls`)
  },
  wrapModelCall: (request, handler) =>
    // A layer passes on a changed copy; the thread is not changed by it.
    handler(request.override({ systemPrompt: `${request.systemPrompt} Calls so far: ${request.state.toolCalls}.` })),
  // Parallel calls add up, because the reducer does the adding.
  wrapToolCall: async (request, handler) => withUpdate(await handler(request), { toolCalls: 1 }),
  afterModel: (state) => (state.toolCalls > 5 ? command({ goto: 'end', stopReason: 'limit' }) : undefined),
})

const double = tool(({ n }) => n * 2, {
  name: 'double',
  description: 'Doubles a number.',
  schema: z.object({ n: z.number() }),
})

// Offline, so the model plays a script. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel([
  { toolCalls: [toolCall('double', { n: 1 }), toolCall('double', { n: 2 })] },
  (call) => `Done. I was told: "${call.systemPrompt}"`,
])

const agent = createAgent({ model, tools: [double], systemPrompt: 'Be brief.', middleware: [log, count] })
const { output, state } = await agent.invoke('Double 1 and 2.')
console.log(output)
console.log(`toolCalls in the state: ${state.toolCalls}`)
