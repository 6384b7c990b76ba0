import { createAgent, createMiddleware, type Message, removeMessages, replaceMessages, tool, wrapModelCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checked } from '../run/checked.js'

const f = tool(() => 'result', { name: 'f', description: 'F.' })
const batch = { toolCalls: Array.from({ length: 3 }, () => toolCall('f')) }

describe('cases 58, 59', () => {
  it.each(Array.from({ length: 9 }, (_, keep) => [keep]))(
    'a layer that keeps the last %i messages sends whole pairs, and deletes nothing',
    async (keep) => {
      const model = scriptedModel([batch, batch, 'done'])
      const trim = wrapModelCall((request, handler) =>
        handler(request.override({ messages: keep === 0 ? [] : request.messages.slice(-keep) })),
      )
      const checkpointer = memoryCheckpointer()
      const agent = createAgent({ model, tools: [f], middleware: [trim], checkpointer })
      const result = checked(await agent.invoke('go', { threadId: 'T' }), model)
      expect(result.messages).toHaveLength(10)
      const saved = await createAgent({ model: scriptedModel(['x']), checkpointer }).invoke([], { threadId: 'T' })
      expect(saved.messages.slice(0, 10)).toEqual(result.messages)
    },
  )

  it('any layer that reorders, repeats or drops messages sends whole pairs', async () => {
    const pick = fc.array(fc.nat({ max: 20 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(pick, async (indexes) => {
        const model = scriptedModel([batch, batch, 'done'])
        const shuffle = wrapModelCall((request, handler) =>
          handler(
            request.override({
              messages: indexes.flatMap((index) => request.messages[index % request.messages.length] ?? []),
            }),
          ),
        )
        const result = await createAgent({ model, tools: [f], middleware: [shuffle] }).invoke('go')
        // One message more than once is the layer's own doing; the pairing must hold all the same.
        const sent = model.calls.map(({ messages }) => messages.map(({ id: _, ...message }) => message as Message))
        checked({ ...result, messages: result.messages })
        for (const messages of sent) checked({ messages, interrupts: [], done: [] })
      }),
      { numRuns: 500 },
    )
  }, 30_000)

  it('a hook that removes or replaces messages of the state leaves whole pairs', async () => {
    const change = fc.constantFrom('remove', 'replace', 'none')
    const hooks = fc.array(fc.tuple(change, fc.nat({ max: 10 })), { minLength: 3, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(hooks, fc.constantFrom('beforeModel' as const, 'afterModel' as const), async (plan, hook) => {
        let turn = 0
        const model = scriptedModel([batch, batch, 'done'])
        const trim = createMiddleware({
          name: 'trim',
          [hook]: (state: { messages: readonly Message[] }) => {
            const [kind, keep] = plan[turn++] ?? ['none', 0]
            const { messages } = state
            if (kind === 'remove')
              return { messages: removeMessages(messages.slice(0, keep).flatMap(({ id }) => id ?? [])) }
            return kind === 'replace' ? { messages: replaceMessages(messages.slice(-keep)) } : undefined
          },
        })
        checked(await createAgent({ model, tools: [f], middleware: [trim] }).invoke('go'), model)
      }),
      { numRuns: 500 },
    )
  }, 30_000)
})
