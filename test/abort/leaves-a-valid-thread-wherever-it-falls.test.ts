import { createAgent, createMiddleware, reply, tool, toolMessage, wrapModelCall, wrapToolCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { type ScriptedReply, scriptedModel, toolCall } from 'cepa/models/scripted'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkHistory } from '../invariants.js'
import { checked, tick } from '../run/checked.js'

const scripted: fc.Arbitrary<ScriptedReply> = fc.oneof(
  fc.constant('text'),
  fc
    .array(fc.constantFrom('quick', 'slow', 'fails', 'unknown', 'client'), { minLength: 1, maxLength: 4 })
    .map((names) => ({
      text: 'calling',
      toolCalls: names.map((name) => toolCall(name)),
    })),
)
const tools = [
  tool(() => 'quick', { name: 'quick', description: 'Q.' }),
  tool(
    async () => {
      await tick()
      return 'slow'
    },
    { name: 'slow', description: 'S.' },
  ),
  tool(() => Promise.reject(new Error('failed')), { name: 'fails', description: 'F.' }),
]
const client = tool({ name: 'client', description: 'C.' })
const shortCut = {
  none: wrapModelCall((_request, handler) => handler()),
  model: wrapModelCall(async (request, handler) => (request.messages.length > 4 ? reply('enough') : handler())),
  tool: wrapToolCall(async (request, handler) =>
    request.toolCall.name === 'quick' ? { message: toolMessage('cached') } : handler(),
  ),
}

it('case 55: an abort, a failure, a limit, a pause or a short-circuit at any moment leaves a thread that goes on', async () => {
  const script = fc.array(scripted, { minLength: 1, maxLength: 4 })
  const place = fc.record({
    stopAt: fc.nat(40),
    way: fc.constantFrom('leave', 'abort', 'signal', 'run to the end' as const),
    cut: fc.constantFrom('none', 'model', 'tool' as const),
    toolErrors: fc.boolean(),
    maxTurns: fc.integer({ min: 1, max: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(script, place, async (replies, { stopAt, way, cut, toolErrors, maxTurns }) => {
      const checkpointer = memoryCheckpointer()
      const model = scriptedModel([...replies, ...Array.from({ length: 4 }, () => 'end')])
      const log: string[] = []
      const rings = createMiddleware({
        name: 'rings',
        wrapRun: async (_run, next) => {
          log.push('in')
          try {
            await next()
          } finally {
            log.push('finally')
          }
        },
      })
      const controller = new AbortController()
      const agent = createAgent({
        model,
        tools: [...tools, client],
        middleware: [rings, shortCut[cut]],
        checkpointer,
        maxTurns,
        ...(toolErrors && { toolErrors: 'throw' as const }),
      })
      const stream = agent.stream('go', { threadId: 'T', signal: controller.signal })
      let seen = 0
      try {
        for await (const _ of stream) {
          if (++seen <= stopAt || way === 'run to the end') continue
          if (way === 'leave') break
          if (way === 'abort') stream.abort()
          else controller.abort(new Error('enough'))
        }
      } catch {
        // The reader sees what the run rejects with.
      }
      const result = await stream.result.catch(() => undefined)
      if (result) checked(result, model)
      for (const call of model.calls) checkHistory(call.messages)
      expect(log).toEqual(log.length === 0 ? [] : ['in', 'finally'])
      const after = scriptedModel(['fine'])
      const next = await createAgent({ model: after, checkpointer }).invoke('more', { threadId: 'T' })
      expect(checked(next, after)).toMatchObject({ output: 'fine' })
      if (result && result.interrupts.length === 0) {
        expect(next.messages.slice(0, result.messages.length)).toEqual(result.messages)
      }
    }),
    { numRuns: 500 },
  )
}, 60_000)
