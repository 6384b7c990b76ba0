// An agent in a Koa app. Run: npx tsx --conditions=@cepa/source examples/koa-app.ts
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Agent, type AgentStream, createAgent, type KindFrom, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import Koa from 'koa'
import { z } from 'zod'

/** What the app tells an agent about whom it serves. */
export const contextSchema = z.object({ user: z.string() })
export type ChatAgent = Agent<KindFrom<{}, typeof contextSchema>>

/** The app, with a route of its own that streams the agent's text as server-sent events. */
export function koaApp(agent: ChatAgent): Koa {
  const app = new Koa()
  // To Koa a client that went away is an error; to this app it is not.
  app.on('error', (error, ctx) => ctx?.req.socket.destroyed || app.onerror(error))

  // The app's own login; here a header stands in for it.
  app.use(async (ctx, next) => {
    ctx.state.user = ctx.get('x-user')
    if (ctx.state.user === '') ctx.throw(401, 'who are you?')
    await next()
  })

  app.use(async (ctx, next) => {
    if (ctx.path !== '/chat' || ctx.method !== 'POST') return next()
    // Text alone: an object or a list could set fields of the state, or bring system messages along.
    const message = await text(ctx.req)
    if (message === '') ctx.throw(400, 'expected a message')
    const run = agent.stream(message, { context: { user: ctx.state.user } })
    // A generator that waits for a token cannot be closed from outside, so the run is told at once.
    ctx.res.on('close', () => run.abort('the client went away'))
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'text/event-stream'
    ctx.body = Readable.from(frames(run))
    ctx.flushHeaders()
  })

  app.use((ctx) => {
    if (ctx.path === '/health') ctx.body = { ok: true }
  })
  return app
}

/** A run as server-sent events: its text, and how it ended. What failed is for the log, not for the client. */
async function* frames(run: AgentStream): AsyncGenerator<string> {
  const frame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  run.result.catch((error) => console.error(error))
  try {
    for await (const piece of run.text) yield frame('text', piece)
    yield frame('end', (await run.result).stopReason)
  } catch {
    yield frame('error', 'the agent failed')
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const whoAmI = tool((_args, { context }) => `You are ${context.user}.`, {
    name: 'who_am_i',
    description: 'Who the user is.',
    contextSchema,
  })
  // Offline: calls the tool, then repeats what it said. With a real one: model: 'openai:gpt-5.4'
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1)
    return last?.role === 'tool' ? String(last.content) : { toolCalls: [toolCall('who_am_i')] }
  })
  const app = koaApp(createAgent({ model, tools: [whoAmI], contextSchema }))
  const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  console.log(`curl -N http://127.0.0.1:${port}/chat -H 'x-user: ada' -d 'Who am I?'`)
}
