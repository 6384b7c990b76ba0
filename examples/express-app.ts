// An agent in an Express app. Run: npx tsx --conditions=@cepa/source examples/express-app.ts
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { type Agent, type AgentStream, createAgent, type KindFrom, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import express from 'express'
import { z } from 'zod'

/** What the app tells an agent about whom it serves. */
export const contextSchema = z.object({ user: z.string() })
export type ChatAgent = Agent<KindFrom<{}, typeof contextSchema>>

/** The app, with a route of its own that streams the agent's text as server-sent events. */
export function expressApp(agent: ChatAgent): express.Express {
  const app = express()
  app.use(express.json())

  // The app's own login; here a header stands in for it.
  app.use((request, response, next) => {
    response.locals.user = request.get('x-user')
    if (response.locals.user) next()
    else response.status(401).json({ error: 'who are you?' })
  })

  app.get('/health', (_request, response) => void response.json({ ok: true }))

  app.post('/chat', async (request, response) => {
    // Text alone: an object or a list could set fields of the state, or bring system messages along.
    const message = String(request.body?.message ?? '')
    if (message === '') return void response.status(400).json({ error: 'expected { "message": "…" }' })
    const run = agent.stream(message, { context: { user: response.locals.user } })
    // A generator that waits for a token cannot be closed from outside, so the run is told at once.
    response.on('close', () => run.abort('the client went away'))
    response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
    await pipeline(Readable.from(frames(run)), response).catch(() => {})
  })

  return app
}

/** A run as server-sent events: its text, and how it ended. What failed is for the log, not for the client. */
async function* frames(run: AgentStream): AsyncGenerator<string> {
  const frame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  run.result.catch((error) => console.error(error))
  try {
    for await (const text of run.text) yield frame('text', text)
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
  const server = expressApp(createAgent({ model, tools: [whoAmI], contextSchema })).listen(
    Number(process.env.PORT ?? 3000),
    '127.0.0.1',
  )
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  console.log(`curl -N http://127.0.0.1:${port}/chat -H 'x-user: ada' --json '{"message":"Who am I?"}'`)
}
