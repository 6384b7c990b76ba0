import { type AgentEvent, createAgent, createMiddleware, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkEvents, checkNoLeaks } from '../invariants.js'
import { checked, gate, readAll, rejection, tick } from './checked.js'

const named = { name: 'sub', description: 'A sub-agent.' }
const ask = (...inputs: string[]) => ({ toolCalls: inputs.map((input) => toolCall('sub', { input })) })
const look = tool(() => 'looked', { name: 'look', description: 'L.' })

describe('an agent as a tool', () => {
  it('takes { input }, gives its output, and adds its usage', async () => {
    const inner = scriptedModel([
      { toolCalls: [toolCall('look')], usage: { input: 5 } },
      { text: 'found', usage: { input: 7 } },
    ])
    const child = createAgent({ model: inner, tools: [look] })
    const model = scriptedModel([{ ...ask('find'), usage: { input: 1 } }, 'done'])
    const result = checked(await createAgent({ model, tools: [child.asTool(named)] }).invoke('go'), model, inner)
    expect(result.messages[2]).toMatchObject({ role: 'tool', name: 'sub', content: 'found', status: 'success' })
    expect(inner.calls[0]?.messages).toMatchObject([{ role: 'user', content: 'find' }])
    expect(result.usage).toEqual({ requests: 4, input: 13 })
  })

  it('shows its events under the path of the call, two levels down', async () => {
    const leaf = createAgent({ model: scriptedModel(['leaf']) })
    const middle = createAgent({ model: scriptedModel([ask('down'), 'middle']), tools: [leaf.asTool(named)] })
    const model = scriptedModel([{ toolCalls: [toolCall('sub', { input: 'x' }, 'top')] }, 'done'])
    const { events, result } = await readAll(createAgent({ model, tools: [middle.asTool(named)] }).stream('go'))
    checked(result, model)
    const paths = [...new Set(events.map(({ path }) => path.join('/')))]
    expect(paths).toEqual(['', 'top', 'top/call_1'])
    for (const path of paths) {
      const own: AgentEvent[] = events
        .filter((event) => event.path.join('/') === path)
        .map((event) => ({ ...event, path: [] }))
      checkEvents(own)
    }
    const texts = events.flatMap((event) =>
      event.type === 'delta' && event.delta.type === 'text' ? event.delta.text : [],
    )
    expect(texts.join('')).toBe('leafmiddledone')
  })

  it('.text is the text of the outer agent alone', async () => {
    const child = createAgent({ model: scriptedModel(['inner text']) })
    const stream = createAgent({ model: scriptedModel([ask('x'), 'outer']), tools: [child.asTool(named)] }).stream('go')
    let text = ''
    for await (const piece of stream.text) text += piece
    expect(text).toBe('outer')
  })

  it('an error of it is an error result, by its message; siblings run', async () => {
    const child = createAgent({
      model: scriptedModel((_call, index) => (index === 0 ? new Error('inner boom') : 'fine')),
    })
    const model = scriptedModel([ask('one', 'two'), 'done'])
    const agent = createAgent({ model, tools: [child.asTool(named)], toolConcurrency: 1 })
    const result = checked(await agent.invoke('go'), model)
    expect(result.messages.slice(2, 4)).toMatchObject([
      { status: 'error', content: 'inner boom' },
      { status: 'success', content: 'fine' },
    ])
    expect(result.usage.requests).toBe(4)
  })

  it('has the context of the parent, parsed by its own schema', async () => {
    const who = createMiddleware({
      name: 'who',
      contextSchema: z.object({ user: z.string() }),
      wrapModelCall: (request, handler) => handler(request.override({ systemPrompt: request.context.user })),
    })
    const inner = scriptedModel(['x'])
    const child = createAgent({ model: inner, middleware: [who] })
    const model = scriptedModel([ask('x'), 'done'])
    const outer = createAgent({ model, tools: [child.asTool(named)] })
    await outer.invoke('go', { context: { user: 'ann' } } as never)
    expect(inner.calls[0]?.systemPrompt).toBe('ann')
  })

  it('may enter no more turns than its parent has left', async () => {
    const loop = scriptedModel(() => ({ toolCalls: [toolCall('look')] }))
    const child = createAgent({ model: loop, tools: [look], maxTurns: 50 })
    const model = scriptedModel([ask('x'), 'done'])
    checked(await createAgent({ model, tools: [child.asTool(named)], maxTurns: 4 }).invoke('go'), model, loop)
    expect(loop.calls).toHaveLength(3)
  })

  it('case 74: many of them at once keep apart', async () => {
    const inner = scriptedModel(async (call) => {
      await tick()
      return `echo ${call.messages[0]?.content}`
    })
    const child = createAgent({ model: inner })
    const inputs = Array.from({ length: 20 }, (_, index) => `i${index}`)
    const model = scriptedModel([ask(...inputs), 'done'])
    const agent = createAgent({ model, tools: [child.asTool(named)], checkpointer: memoryCheckpointer() })
    const result = checked(await agent.invoke('go', { threadId: 'T' }), model)
    const contents = result.messages.slice(2, -1).map(({ content }) => content)
    expect(contents).toEqual(inputs.map((input) => `echo ${input}`))
  })
})

describe('cases 66, 67: an abort of the parent', () => {
  it.each(['signal', 'abort'] as const)('by %s goes down, and a child that is deaf to it is let go', async (way) => {
    for (const deaf of [false, true]) {
      const entered = gate()
      const late = gate()
      let seen: AbortSignal | undefined
      const wait = tool(
        async (_args, { signal }) => {
          seen = signal
          entered.open()
          if (deaf) await late.promise
          else await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          throw new Error('late')
        },
        { name: 'wait', description: 'W.' },
      )
      const inner = scriptedModel([{ toolCalls: [toolCall('wait')] }])
      const child = createAgent({ model: inner, tools: [wait] })
      const model = scriptedModel([ask('x')])
      const controller = new AbortController()
      const reason = new Error('enough')
      await checkNoLeaks(async () => {
        const agent = createAgent({ model, tools: [child.asTool(named)] })
        const stream = agent.stream('go', { signal: controller.signal })
        await entered.promise
        if (way === 'signal') {
          controller.abort(reason)
          expect(await rejection(stream.result)).toBe(reason)
        } else {
          stream.abort()
          expect(checked(await stream.result, model).stopReason).toBe('aborted')
        }
        expect(seen?.aborted).toBe(true)
      }, [controller.signal])
      expect(inner.calls).toHaveLength(1)
      late.open()
      await tick()
    }
  })
})
