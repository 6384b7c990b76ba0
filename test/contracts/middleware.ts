import {
  type AnyMiddleware,
  compose,
  createAgent,
  createMiddleware,
  type Message,
  type Middleware,
  type RunResult,
  tool,
} from 'cepa'
import { type ScriptedModel, scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkEvents, oracle } from '../invariants.js'

const echo = tool(({ text }) => text, {
  name: 'echo',
  description: 'Says it again.',
  schema: z.object({ text: z.string() }),
})
const ask = tool({ name: 'ask', description: 'Somebody outside answers.', schema: z.object({ text: z.string() }) })
const stall = tool(
  (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  { name: 'stall', description: 'Waits until it is aborted.' },
)

/** Answers whatever it is asked: one round of tools, then a text that says what the tools said. */
const model = (name = 'echo'): ScriptedModel =>
  scriptedModel((call) => {
    const last = call.messages.at(-1)
    if (last?.role === 'tool') return `said ${last.content}`
    return { toolCalls: [toolCall(name, { text: 'a' }), toolCall('echo', { text: last?.content })] }
  })

const agentOf = (middleware: readonly AnyMiddleware[], called = 'echo') =>
  createAgent({ model: model(called), tools: [echo, ask, stall], middleware })

/** Message ids hold the run's id, which is another in each run. */
const withoutIds = (messages: readonly Message[]): Message[] =>
  messages.map(({ id: _, ...message }) => message as Message)

const shape = ({ messages, output, stopReason, usage }: RunResult) => ({
  messages: withoutIds(messages),
  output,
  stopReason,
  usage,
})

/** What a layer is given, as text; a model is no data, and counts its calls. */
const textOf = (request: object): string =>
  JSON.stringify(request, (key, value) => (key === 'model' || typeof value === 'function' ? String(value) : value))

/**
 * What holds of every middleware that lets an ordinary run through: alone and nested, streamed and not, entered again
 * and by many runs at once, it does its part and nothing else. `make` gives a new one each time.
 */
export function middlewareContract(make: () => Middleware): void {
  test('contract: works alone, and nested in a stack', async () => {
    const alone = await agentOf([make()]).invoke('hello')
    const nested = await agentOf([compose('outer', [compose('inner', [make()])])]).invoke('hello')
    oracle(alone)
    expect(alone).toMatchObject({ stopReason: 'stop', output: 'said hello', usage: { requests: 2 } })
    expect(shape(nested)).toEqual(shape(alone))
  })

  test('contract: lets a question through', async () => {
    const result = await agentOf([make()], 'ask').invoke('hello')
    oracle(result)
    expect(result.stopReason).toBe('interrupt')
    expect(result.interrupts.map(({ payload }) => payload)).toMatchObject([{ toolCall: { name: 'ask' } }])
    expect(result.done.map(({ content }) => content)).toEqual(['hello'])
  })

  test.each(['model', 'tool'])('contract: lets an abort of a %s call through', async (ring) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const stop = createMiddleware({
      name: 'stop',
      wrapModelCall: async (request, handler) => {
        if (ring === 'model') controller.abort(reason)
        return handler(request)
      },
      wrapToolCall: async (request, handler) => {
        setTimeout(() => controller.abort(reason))
        return handler(request)
      },
    })
    const agent = agentOf([make(), stop], 'stall')
    await expect(agent.invoke('hello', { signal: controller.signal })).rejects.toBe(reason)

    const stream = agentOf([make()], 'stall').stream('hello')
    for await (const event of stream) if (event.type === 'tool-start') stream.abort()
    const aborted = await stream.result
    oracle(aborted)
    expect(aborted.stopReason).toBe('aborted')
  })

  test('contract: leaves the request as it is', async () => {
    const faults: string[] = []
    const look = createMiddleware({
      name: 'look',
      wrapModelCall: async (request, handler) => {
        const before = textOf(request)
        const response = await handler(request)
        if (textOf(request) !== before) faults.push('the model request was changed')
        return response
      },
      wrapToolCall: async (request, handler) => {
        const before = textOf(request)
        const result = await handler(request)
        if (textOf(request) !== before) faults.push('the tool request was changed')
        return result
      },
    })
    await agentOf([look, make()]).invoke('hello')
    expect(faults).toEqual([])
  })

  test('contract: may be entered again, one after the other and at once', async () => {
    const again = createMiddleware({
      name: 'again',
      wrapModelCall: async (request, handler) => {
        await handler(request)
        const [response] = await Promise.all([handler(request), handler(request)])
        return response
      },
      wrapToolCall: async (request, handler) => {
        await handler(request)
        const [result] = await Promise.all([handler(request), handler(request)])
        return result
      },
    })
    const result = await agentOf([again, make()]).invoke('hello')
    oracle(result)
    expect(result).toMatchObject({ stopReason: 'stop', output: 'said hello', usage: { requests: 6 } })
  })

  test('contract: is safe under concurrent runs', async () => {
    const agent = agentOf([make()])
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`)
    const results = await Promise.all(words.map((word) => agent.invoke(word)))
    expect(results.map(({ output }) => output)).toEqual(words.map((word) => `said ${word}`))
    for (const result of results) oracle(result)
  })

  test('contract: is the same streamed and unstreamed', async () => {
    const plain = await agentOf([make()]).invoke('hello')
    const stream = agentOf([make()]).stream('hello')
    const events = []
    for await (const event of stream) events.push(event)
    checkEvents(events)
    expect(shape(await stream.result)).toEqual(shape(plain))
    const shown = events.map((event) => (event.type === 'delta' && event.delta.type === 'text' ? event.delta.text : ''))
    expect(shown.join('')).toBe('said hello')
  })
}
