import { createAgent, createMiddleware, errorInfo, field, tool, withUpdate } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, gate, readAll, rejection } from '../run/checked.js'

const calls = { toolCalls: [toolCall('one', {}, 'c1'), toolCall('two', {}, 'c2'), toolCall('three', {}, 'c3')] }
const boom = new Error('boom')

/** Three tools that finish in the order two, three, one; `two` throws if it is told to. */
function tools(failing: boolean) {
  const two = gate()
  const three = gate()
  const make = (name: string, run: () => Promise<string>) => tool(run, { name, description: name })
  return [
    make('one', async () => {
      await three.promise
      return '1'
    }),
    make('two', async () => {
      two.open()
      if (failing) throw boom
      return '2'
    }),
    make('three', async () => {
      await two.promise
      three.open()
      return '3'
    }),
  ]
}
const order = createMiddleware({
  name: 'order',
  stateSchema: {
    list: field(z.array(z.string()).default([]), { reducer: (all, id: string) => [...all, id] }),
    last: z.string().default(''),
  },
  wrapToolCall: async (request, handler) => {
    const result = await handler()
    return withUpdate(withUpdate(result, { list: request.toolCall.id }), { last: request.toolCall.id })
  },
})

describe('case 25', () => {
  it('results and updates are in call order, events in the order of completion', async () => {
    const model = scriptedModel([calls, 'done'])
    const { events, result } = await readAll(
      createAgent({ model, tools: tools(false), middleware: [order] }).stream('go'),
    )
    checked(result, model)
    expect(result.messages.slice(2, 5)).toMatchObject([{ content: '1' }, { content: '2' }, { content: '3' }])
    expect(result.state).toMatchObject({ list: ['c1', 'c2', 'c3'], last: 'c3' })
    const finished = events.flatMap((event) => (event.type === 'tool-result' ? event.message.tool_call_id : []))
    expect(finished).toEqual(['c2', 'c3', 'c1'])
  })

  it.each([1, 2, 3])('toolConcurrency %i bounds how many run at once', async (toolConcurrency) => {
    let running = 0
    let most = 0
    const slow = tool(
      async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 1))
        running--
      },
      { name: 'slow', description: 'S.' },
    )
    const model = scriptedModel([{ toolCalls: Array.from({ length: 5 }, () => toolCall('slow')) }, 'done'])
    checked(await createAgent({ model, tools: [slow], toolConcurrency }).invoke('go'), model)
    expect(most).toBe(toolConcurrency)
  })

  it('a sequential tool never runs beside another', async () => {
    const log: string[] = []
    const make = (name: string, sequential: boolean) =>
      tool(
        async () => {
          log.push(`${name} in`)
          await new Promise((resolve) => setTimeout(resolve, 1))
          log.push(`${name} out`)
        },
        { name, description: name, sequential },
      )
    const model = scriptedModel([{ toolCalls: [toolCall('free'), toolCall('alone'), toolCall('free')] }, 'done'])
    checked(await createAgent({ model, tools: [make('free', false), make('alone', true)] }).invoke('go'), model)
    expect(log).toEqual(['free in', 'free out', 'alone in', 'alone out', 'free in', 'free out'])
  })
})

describe('case 24: one of three tools throws', () => {
  it('by default its call is an error result, the others stand', async () => {
    const model = scriptedModel([calls, 'done'])
    const result = checked(await createAgent({ model, tools: tools(true) }).invoke('go'), model)
    expect(result.messages.slice(2, 5)).toMatchObject([
      { content: '1', status: 'success' },
      { content: 'boom', status: 'error' },
      { content: '3', status: 'success' },
    ])
  })

  it("with 'throw' the run rejects with that error after the siblings settled, and their results are kept", async () => {
    const checkpointer = memoryCheckpointer()
    const agent = createAgent({ model: scriptedModel([calls]), tools: tools(true), toolErrors: 'throw', checkpointer })
    expect(await rejection(agent.invoke('go', { threadId: 'T' }))).toBe(boom)
    expect(errorInfo(boom)?.messages.slice(2)).toMatchObject([{ content: '1' }, { status: 'error' }, { content: '3' }])
    const model = scriptedModel(['done'])
    const next = await createAgent({ model, checkpointer }).invoke('and now?', { threadId: 'T' })
    expect(checked(next, model).messages.slice(2, 5)).toMatchObject([
      { tool_call_id: 'c1', content: '1', status: 'success' },
      { tool_call_id: 'c2', content: 'boom', status: 'error' },
      { tool_call_id: 'c3', content: '3', status: 'success' },
    ])
  })

  it('an error of an after-hook rejects the run as the same object, with the results kept', async () => {
    const error = new Error('hook')
    const late = createMiddleware({
      name: 'late',
      wrapTurn: async (_turn, next) => {
        await next()
        throw error
      },
    })
    const agent = createAgent({ model: scriptedModel([calls]), tools: tools(false), middleware: [late] })
    expect(await rejection(agent.invoke('go'))).toBe(error)
    expect(errorInfo(error)).toMatchObject({ layer: 'late', usage: { requests: 1 } })
    expect(errorInfo(error)?.messages).toHaveLength(5)
  })
})
