import { type AnyMiddleware, command, createAgent, createMiddleware, field, rewriteText, tool, withUpdate } from 'cepa'
import { type ScriptedReply, scriptedModel, toolCall } from 'cepa/models/scripted'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked, readAll } from '../run/checked.js'

const LAYERS: Record<string, (log: string[]) => AnyMiddleware> = {
  retry: (log) =>
    createMiddleware({
      name: 'retry',
      wrapModelCall: async (_request, handler) => {
        log.push('retry')
        return handler().catch(() => handler())
      },
    }),
  twice: (log) =>
    createMiddleware({
      name: 'twice',
      wrapModelCall: async (_request, handler) => {
        log.push('twice')
        await handler()
        return handler()
      },
    }),
  shout: (log) => {
    const layer = rewriteText(() => ({ write: (text) => text.toUpperCase(), end: () => '' }))
    return createMiddleware({
      name: 'shout',
      wrapModelCall: (request, handler) => {
        log.push('shout')
        return layer(request, handler)
      },
    })
  },
  hide: () =>
    createMiddleware({
      name: 'hide',
      wrapModelCall: (request, handler) =>
        handler(request.override({ tools: request.tools.filter(({ name }) => name !== 'b') })),
    }),
  count: (log) =>
    createMiddleware({
      name: 'count',
      stateSchema: { n: field(z.number().default(0), { reducer: (sum, more: number) => sum + more }) },
      wrapToolCall: async (request, handler) => {
        log.push(`count ${request.toolCall.name}`)
        return withUpdate(await handler(), { n: 1 })
      },
      wrapTurn: async (turn, next) => {
        log.push(`turn ${turn.index}`)
        await next()
      },
    }),
  stop: (log) =>
    createMiddleware({
      name: 'stop',
      afterModel: (state) => {
        log.push('stop')
        return state.messages.length > 5 ? command({ goto: 'end', stopReason: 'limit' }) : undefined
      },
    }),
  made: () =>
    createMiddleware({
      name: 'made',
      wrapModelCall: async (request, handler) => {
        if (request.messages.length !== 3) return handler()
        return { message: { role: 'assistant', content: 'made up' }, finishReason: 'stop' }
      },
    }),
}

const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  fc.string({ maxLength: 12, unit: 'grapheme' }),
  fc.constant(new Error('503')),
  fc
    .tuple(fc.string({ maxLength: 8 }), fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }))
    .map(([text, names]) => ({ text, toolCalls: names.map((name) => toolCall(name)) })),
)

it('result, state, usage and order of layers are the same, for any script and any stack', async () => {
  const stacks = fc.uniqueArray(fc.constantFrom(...Object.keys(LAYERS)), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 6 }), stacks, async (script, stack) => {
      const play = async (streamed: boolean) => {
        const log: string[] = []
        const tools = ['a', 'b'].map((name) => tool(() => void log.push(`${name} ran`), { name, description: name }))
        const model = scriptedModel([...script, ...Array.from({ length: 30 }, () => 'end')])
        const middleware = stack.map((name) => (LAYERS[name] as (typeof LAYERS)[string])(log))
        const agent = createAgent({ model, tools, middleware, maxTurns: 5 })
        const run = streamed ? readAll(agent.stream('go')).then(({ result }) => result) : agent.invoke('go')
        const outcome = await run.then(
          (result) => {
            const { messages, state, output, structured, stopReason, usage } = checked(result, model)
            return { messages, state, output, structured, stopReason, usage }
          },
          (error: unknown) => ({ error }),
        )
        // Ids hold the run's own, which is random.
        const plain = JSON.stringify(outcome, (key, value) =>
          key === 'id' ? String(value).replace(/^\w+-/, '') : value,
        )
        return { plain, log, calls: model.calls.length }
      }
      expect(await play(true)).toEqual(await play(false))
    }),
    { numRuns: 500 },
  )
}, 60_000)
