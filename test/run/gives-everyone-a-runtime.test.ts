import { createAgent, createMiddleware, type Runtime, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked, readAll, rejection } from './checked.js'

describe('runtime', () => {
  it('.generate is a side call: counted, not streamed, through no layer, repaired', async () => {
    const side = scriptedModel([{ text: 'side', usage: { input: 10 } }])
    let layers = 0
    const ask = createMiddleware({
      name: 'ask',
      wrapModelCall: (_request, handler) => {
        layers++
        return handler()
      },
      beforeModel: async (state, { generate }) => {
        const { message } = await generate(side, {
          messages: [...state.messages, { role: 'tool', tool_call_id: 'orphan', content: 'x' }],
          systemPrompt: 'Summarise.',
          settings: { temperature: 0 },
        })
        return { messages: [{ role: 'user', content: `note: ${message.content}` }] }
      },
    })
    const model = scriptedModel([{ text: 'done', usage: { input: 1 } }])
    const { events, result } = await readAll(createAgent({ model, middleware: [ask] }).stream('go'))
    checked(result, model, side)
    expect(side.calls).toMatchObject([{ systemPrompt: 'Summarise.', streaming: false, settings: { temperature: 0 } }])
    expect(result.usage).toEqual({ requests: 2, input: 11 })
    expect(layers).toBe(1)
    const deltas = events.flatMap((event) => (event.type === 'delta' ? event.delta : []))
    expect(JSON.stringify(deltas)).not.toContain('side')
  })

  it('.generate that fails is counted, and rejects with the same object', async () => {
    const boom = new Error('boom')
    const caught: unknown[] = []
    const ask = createMiddleware({
      name: 'ask',
      beforeAgent: async (_state, { generate }) => {
        await generate(scriptedModel([boom]), { messages: [] }).catch((error) => caught.push(error))
      },
    })
    const result = checked(await createAgent({ model: scriptedModel(['x']), middleware: [ask] }).invoke('go'))
    expect(caught).toEqual([boom])
    expect(result.usage.requests).toBe(2)
  })

  it('.now and .id, executionInfo, config and serverInfo work destructured, in hooks and tools', async () => {
    const seen: unknown[] = []
    const note = (runtime: Runtime): void => {
      const { now, id, executionInfo, config, serverInfo, usage } = runtime
      expect(now()).toBeInstanceOf(Date)
      expect(id()).toMatch(/^[0-9a-f]{32}$/)
      expect(id()).not.toBe(id())
      seen.push({ ...executionInfo, ...config, serverInfo, requests: usage.requests })
    }
    const hooks = createMiddleware({
      name: 'hooks',
      beforeAgent: (_state, runtime) => note(runtime),
      afterModel: (_state, runtime) => note(runtime),
    })
    const t = tool((_args, runtime) => note(runtime), { name: 't', description: 'T.' })
    const model = scriptedModel([{ toolCalls: [toolCall('t', {}, 'c/1')] }, 'done'])
    const agent = createAgent({ model, tools: [t], middleware: [hooks], checkpointer: memoryCheckpointer() })
    const options = { threadId: 'T', tags: ['a'], metadata: { m: 1 }, callbacks: [1] }
    const { runId } = checked(await agent.invoke('go', options), model)
    const base = { runId, threadId: 'T', tags: ['a'], metadata: { m: 1 }, callbacks: [1], serverInfo: null }
    expect(seen).toEqual([
      { ...base, turn: 0, requests: 0 },
      { ...base, turn: 1, requests: 1 },
      { ...base, turn: 1, requests: 1, attempt: 1, idempotencyKey: `T/${runId}/1/c%2F1` },
      { ...base, turn: 2, requests: 2 },
    ])
  })

  it('.store without a store is a ConfigError at first use, and no toolErrors makes a result of it', async () => {
    const t = tool((_args, { store }) => store.get(['a'], 'b'), { name: 't', description: 'T.' })
    const model = scriptedModel([{ toolCalls: [toolCall('t')] }])
    const agent = createAgent({ model, tools: [t], toolErrors: () => 'hidden' })
    expect(await rejection(agent.invoke('go'))).toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('memoryStore()'),
    })
  })
})
