import { createAgent, createMiddleware, field, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from '../run/checked.js'

describe('a thread', () => {
  it('case 7: has the update of beforeAgent without any other hook', async () => {
    const set = createMiddleware({
      name: 'set',
      stateSchema: { value: z.string().default(''), runs: z.number().default(0) },
      beforeAgent: (state) => ({ value: 'x', runs: state.runs + 1 }),
    })
    const checkpointer = memoryCheckpointer()
    const agent = createAgent({ model: scriptedModel(['one', 'two']), middleware: [set], checkpointer })
    await agent.invoke('go', { threadId: 'T' })
    const reader = createMiddleware({
      name: 'reader',
      stateSchema: { value: z.string().default(''), runs: z.number().default(0) },
    })
    const read = createAgent({ model: scriptedModel(['read']), middleware: [reader], checkpointer })
    expect(checked(await read.invoke('read', { threadId: 'T' })).state).toMatchObject({ value: 'x', runs: 1 })
    expect(checked(await agent.invoke('more', { threadId: 'T' })).state).toMatchObject({ value: 'x', runs: 2 })
  })

  it('case 77: keeps falsy values', async () => {
    const values = { a: false, b: 0, c: '', d: null, h: [] as string[], i: {} }
    const schema = {
      a: z.boolean().default(true),
      b: z.number().default(1),
      c: z.string().default('x'),
      d: z.string().nullable().default('x'),
      h: z.array(z.string()).default(['x']),
      i: z.record(z.string(), z.number()).default({ x: 1 }),
    }
    const checkpointer = memoryCheckpointer()
    const model = scriptedModel(['one', 'two'])
    const agent = createAgent({ model, stateSchema: schema, checkpointer })
    checked(await agent.invoke({ messages: 'go' as never, ...values }, { threadId: 'T' }))
    expect(checked(await agent.invoke('more', { threadId: 'T' }), model).state).toMatchObject(values)
  })

  it('keeps hidden fields between runs, and shows them to nobody', async () => {
    const seen: number[] = []
    const hidden = createMiddleware({
      name: 'hidden',
      stateSchema: { n: field(z.number().default(0), { hidden: true }) },
      beforeAgent: (state) => {
        seen.push(state.n)
        return { n: state.n + 1 }
      },
    })
    const checkpointer = memoryCheckpointer()
    const agent = createAgent({ model: scriptedModel(['one', 'two']), middleware: [hidden], checkpointer })
    for (let run = 0; run < 2; run++) {
      const result = checked(await agent.invoke('go', { threadId: 'T' }))
      expect(result.state).not.toHaveProperty('n')
    }
    expect(seen).toEqual([0, 1])
  })

  it('of a run without threadId has a random id, and can be gone on with', async () => {
    const model = scriptedModel(['one', 'two'])
    const agent = createAgent({ model, checkpointer: memoryCheckpointer() })
    const first = checked(await agent.invoke('go'))
    const threadId = first.threadId as string
    expect(threadId).toMatch(/^[0-9a-f]{32}$/)
    expect(checked(await agent.invoke('more', { threadId }), model).messages).toHaveLength(4)
  })

  it.each(['__proto__', 'constructor', 'prototype', 'a/b', '../x', "'; drop", '北京', ' '])(
    'case 128: may be called %j like any other string',
    async (threadId) => {
      const checkpointer = memoryCheckpointer()
      const model = scriptedModel(['one', 'two', 'three'])
      const agent = createAgent({ model, checkpointer })
      checked(await agent.invoke('go', { threadId }))
      expect(checked(await agent.invoke('more', { threadId }), model).messages).toHaveLength(4)
      expect(checked(await agent.invoke('other', { threadId: 'other' }), model).messages).toHaveLength(2)
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    },
  )

  it('case 74: twenty runs of one agent at once see their own thread, context and messages', async () => {
    const who = tool(
      async (_args, { executionInfo, context, state, signal }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
        const first = state.messages[0]?.content
        return [executionInfo.threadId, context.user, first, signal.aborted].join()
      },
      { name: 'who', description: 'W.', contextSchema: z.object({ user: z.string() }) },
    )
    const model = scriptedModel((call) => (call.messages.length === 1 ? { toolCalls: [toolCall('who')] } : 'done'))
    const agent = createAgent({ model, tools: [who], checkpointer: memoryCheckpointer() })
    const runs = Array.from({ length: 20 }, async (_, index) => {
      const options = { threadId: `t${index}`, context: { user: `u${index}` } }
      const result = checked(await agent.invoke(`m${index}`, options))
      expect(result.messages[2]?.content).toBe(`t${index},u${index},m${index},false`)
      expect(result.messages).toHaveLength(4)
    })
    await Promise.all(runs)
    expect(model.calls).toHaveLength(40)
  })
})
