import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, type RunContext, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { ChatAgent } from '../../examples/express-app.js'

const contextSchema = z.object({ user: z.string() })
const whoAmI = tool((_args, { context }) => `You are ${context.user}.`, {
  name: 'who_am_i',
  description: 'Who the user is.',
  contextSchema,
})

type App = (agent: ChatAgent) => RequestListener
type Body = (message: string) => { text: string; type: string }

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  vi.restoreAllMocks()
})

/** What an app with an agent in it must do, over real HTTP. */
export function servesAnAgent(name: string, app: App, body: Body): void {
  const serve = async (agent: ChatAgent) => {
    const server = createServer(app(agent)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    const { port } = server.address() as AddressInfo
    const post = (message: string, user?: string): Promise<IncomingMessage> => {
      const { text, type } = body(message)
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/chat', agent: false })
      sent.setHeader('content-type', type)
      if (user) sent.setHeader('x-user', user)
      sent.end(text)
      return once(sent, 'response').then(([response]) => response as IncomingMessage)
    }
    const health = () => fetch(`http://127.0.0.1:${port}/health`, { headers: { 'x-user': 'ada' } })
    return { server, post, health }
  }

  describe(name, () => {
    test('streams text as server-sent events, with the user in the context', async () => {
      const model = scriptedModel([
        { toolCalls: [toolCall('who_am_i')] },
        ({ messages }) => `${messages.at(-1)?.content}`,
      ])
      const { post } = await serve(createAgent({ model, tools: [whoAmI], contextSchema }))
      const response = await post('Who am I?', 'ada')
      expect(response.statusCode).toBe(200)
      expect(response.headers['content-type']).toMatch(/^text\/event-stream/)
      const events = await framesOf(response)
      expect(textIn(events)).toBe('You are ada.')
      expect(events.filter(([event]) => event === 'text').length).toBeGreaterThan(1)
      expect(events.at(-1)).toEqual(['end', 'stop'])
      expect(model.calls[0]?.messages).toMatchObject([{ role: 'user', content: 'Who am I?' }])
    })

    test('refuses an empty message before a run begins', async () => {
      const model = scriptedModel([])
      const { post } = await serve(createAgent({ model, contextSchema }))
      expect((await post('', 'ada')).statusCode).toBe(400)
      expect(model.calls).toHaveLength(0)
    })

    test('keeps users apart', async () => {
      const model = scriptedModel(({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'tool' ? `${last.content}` : { toolCalls: [toolCall('who_am_i')] }
      })
      const { post } = await serve(createAgent({ model, tools: [whoAmI], contextSchema }))
      const users = ['ada', 'linus', 'grace', 'ken']
      const texts = await Promise.all(users.map(async (user) => textIn(await framesOf(await post('Who am I?', user)))))
      expect(texts).toEqual(users.map((user) => `You are ${user}.`))
      expect((await post('Who am I?')).statusCode).toBe(401)
    })

    test('aborts the run when the client goes away', async () => {
      const log = vi.spyOn(console, 'error')
      const { agent, model, started, later, ended } = slowAgent()
      const { server, post, health } = await serve(agent)
      const closed = new Promise<boolean>((resolve) => {
        server.once('request', (_request, response: ServerResponse) => {
          response.once('close', () => setImmediate(async () => resolve((await started).aborted)))
        })
      })

      const response = await post('Work', 'ada')
      expect(String(await firstChunk(response))).toContain('data: "Let m')
      const signal = await started
      expect(signal.aborted).toBe(false)
      response.destroy()

      expect(await closed, 'the signal of the tool has fired one tick after the response closed').toBe(true)
      expect(await ended).toBe('aborted')
      await sleep(20)
      expect(later, 'no further tool').not.toHaveBeenCalled()
      expect(model.calls, 'no further model call').toHaveLength(1)
      expect(log, 'nothing failed').not.toHaveBeenCalled()
      expect(await (await health()).json()).toEqual({ ok: true })
    })

    test('leaves nothing running behind clients that go at any moment', async () => {
      const log = vi.spyOn(console, 'error')
      const { agent, alive } = restlessAgent()
      const { post, health } = await serve(agent)
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const response = await post('Work', 'ada')
          await sleep(index / 2)
          response.destroy()
        }),
      )
      await vi.waitFor(() => expect(alive).toEqual({ runs: 0, tools: 0 }))
      expect(log).not.toHaveBeenCalled()
      expect((await health()).status).toBe(200)
    })

    test('tells the client that it failed, and not what', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      const failure = new Error('the password of the database is 1234')
      const { post, health } = await serve(createAgent({ model: scriptedModel([failure]), contextSchema }))
      const events = await framesOf(await post('Hello', 'ada'))
      expect(events).toEqual([['error', 'the agent failed']])
      expect(log).toHaveBeenCalledWith(failure)
      expect((await health()).status).toBe(200)
    })
  })
}

/** One that says something, then waits in a tool until it is stopped; a second tool and a second turn would follow. */
function slowAgent() {
  let start = (_signal: AbortSignal): void => {}
  const started = new Promise<AbortSignal>((resolve) => {
    start = resolve
  })
  let end = (_stopReason: string | undefined): void => {}
  const ended = new Promise<string | undefined>((resolve) => {
    end = resolve
  })
  const wait = tool(
    (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        start(signal)
      }),
    { name: 'wait', description: 'Waits.' },
  )
  const later = vi.fn(() => 'ran')
  const model = scriptedModel([
    { text: 'Let me see.', toolCalls: [toolCall('wait'), toolCall('later')] },
    'Never said.',
  ])
  const agent = createAgent({
    model,
    tools: [wait, tool(later, { name: 'later', description: 'Comes later.' })],
    middleware: [
      async (run: RunContext, next: () => Promise<void>) => {
        run.signal.addEventListener('abort', () => end('aborted'), { once: true })
        await next()
        end(run.result?.stopReason)
      },
    ],
    contextSchema,
    toolConcurrency: 1,
  })
  return { agent, model, started, later, ended }
}

/** Turn after turn of text and short tools; `alive` counts what has begun and not ended. */
function restlessAgent() {
  const alive = { runs: 0, tools: 0 }
  const nap = tool(
    async (_args, { signal }) => {
      alive.tools++
      await sleep(3, undefined, { signal }).finally(() => alive.tools--)
    },
    { name: 'nap', description: 'Takes a moment.' },
  )
  const agent = createAgent({
    model: scriptedModel(() => ({ text: 'Still at work.', toolCalls: [toolCall('nap'), toolCall('nap')] })),
    tools: [nap],
    middleware: [
      async (_run: RunContext, next: () => Promise<void>) => {
        alive.runs++
        await next().finally(() => alive.runs--)
      },
    ],
    contextSchema,
    maxTurns: 1000,
  })
  return { agent, alive }
}

async function firstChunk(response: IncomingMessage): Promise<unknown> {
  const [chunk] = await once(response, 'data')
  return chunk
}

async function framesOf(response: IncomingMessage): Promise<[event: string, data: unknown][]> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, event = '', data = ''] = frame.match(/^event: (\w+)\ndata: (.*)$/) ?? []
      return [event, JSON.parse(data)]
    })
}

const textIn = (events: readonly [string, unknown][]): string =>
  events.flatMap(([event, data]) => (event === 'text' ? [data] : [])).join('')
