import { createAgent, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import type { Checkpointer } from '../../src/checkpointers/checkpointer.js'
import { checked, gate, rejection, tick } from '../run/checked.js'

const slowly = (inner: Checkpointer): Checkpointer => ({
  ...inner,
  read: async (id) => {
    const entries = await inner.read(id)
    await tick()
    return entries
  },
  append: async (...given) => {
    await tick()
    return inner.append(...given)
  },
})

describe("case 75: two runs on one thread, onConflict 'reject'", () => {
  it.each([
    ['at once', memoryCheckpointer],
    ['at once, on a slow checkpointer', () => slowly(memoryCheckpointer())],
  ])('%s: one has it, the other is refused before it does anything', async (_title, make) => {
    const checkpointer = make()
    let executed = 0
    const work = tool(
      async () => {
        executed++
        await tick()
      },
      { name: 'work', description: 'W.' },
    )
    const model = scriptedModel([{ toolCalls: [toolCall('work')] }, 'done'])
    const agent = createAgent({ model, tools: [work], checkpointer })
    const runs = await Promise.allSettled([
      agent.invoke('first', { threadId: 'T' }),
      agent.invoke('second', { threadId: 'T' }),
    ])
    const won = runs.flatMap((run) => (run.status === 'fulfilled' ? run.value : []))
    const lost = runs.flatMap((run) => (run.status === 'rejected' ? run.reason : []))
    expect(lost).toMatchObject([{ code: 'CONFLICT' }])
    expect(won).toHaveLength(1)
    expect([executed, model.calls.length]).toEqual([1, 2])
    const next = scriptedModel(['more'])
    const after = await createAgent({ model: next, checkpointer }).invoke('third', { threadId: 'T' })
    expect(checked(after, next).messages.slice(0, 4)).toEqual(won[0]?.messages)
    expect(after.messages).toHaveLength(6)
  })

  it('while the first is in a tool: the second is refused, the first goes on', async () => {
    const entered = gate()
    const release = gate()
    const work = tool(
      async () => {
        entered.open()
        await release.promise
      },
      { name: 'work', description: 'W.' },
    )
    const model = scriptedModel([{ toolCalls: [toolCall('work')] }, 'done', 'other'])
    const agent = createAgent({ model, tools: [work], checkpointer: memoryCheckpointer() })
    const first = agent.invoke('first', { threadId: 'T' })
    await entered.promise
    expect(await rejection(agent.invoke('second', { threadId: 'T' }))).toMatchObject({ code: 'CONFLICT' })
    release.open()
    expect(checked(await first, model).output).toBe('done')
    expect(checked(await agent.invoke('elsewhere', { threadId: 'U' }), model).messages).toHaveLength(2)
  })
})
