import { createAgent, createMiddleware, isControl, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked, gate, rejection } from '../run/checked.js'

/** A tool that waits until its signal says stop. */
function waiting() {
  const entered = gate()
  const seen: unknown[] = []
  const wait = tool(
    async (_args, { signal }) => {
      entered.open()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      seen.push(signal.aborted, signal.reason)
    },
    { name: 'wait', description: 'W.' },
  )
  return { entered, seen, wait }
}
const script = () => scriptedModel([{ toolCalls: [toolCall('wait'), toolCall('quick')] }])
const quick = tool(() => 'quick', { name: 'quick', description: 'Q.' })

describe('case 66: an abort', () => {
  it("by the caller's signal reaches the tool, and the run rejects with its reason", async () => {
    const { entered, seen, wait } = waiting()
    const controller = new AbortController()
    const model = script()
    const run = createAgent({ model, tools: [wait, quick] }).invoke('go', { signal: controller.signal })
    await entered.promise
    const reason = new Error('stop')
    controller.abort(reason)
    expect(await rejection(run)).toBe(reason)
    expect(isControl(reason)).toBe(true)
    expect(seen).toEqual([true, reason])
    expect(model.calls).toHaveLength(1)
  })

  it("by leaving the loop ends with 'aborted', and results that are there are kept (case 55)", async () => {
    const { entered, seen, wait } = waiting()
    const log: string[] = []
    const rings = createMiddleware({
      name: 'rings',
      wrapRun: async (_run, next) => {
        try {
          await next()
          log.push('run out')
        } finally {
          log.push('run finally')
        }
      },
      wrapTurn: async (_turn, next) => {
        try {
          await next()
          log.push('turn out')
        } finally {
          log.push('turn finally')
        }
      },
      afterAgent: () => void log.push('afterAgent'),
    })
    const checkpointer = memoryCheckpointer()
    const model = script()
    const agent = createAgent({ model, tools: [wait, quick], middleware: [rings], checkpointer })
    const stream = agent.stream('go', { threadId: 'T' })
    for await (const event of stream) {
      if (event.type !== 'tool-result') continue
      await entered.promise
      break
    }
    const result = checked(await stream.result, model)
    expect(result.stopReason).toBe('aborted')
    expect(seen[0]).toBe(true)
    expect(log, 'case 126: an abort is no normal exit').toEqual(['turn finally', 'run finally'])
    expect(result.messages.slice(2)).toMatchObject([
      { status: 'error', content: expect.stringMatching(/cancel/i) },
      { status: 'success', content: 'quick' },
    ])
    const next = scriptedModel(['fine'])
    const after = await createAgent({ model: next, checkpointer }).invoke('more', { threadId: 'T' })
    expect(checked(after, next).messages.slice(0, 4)).toEqual(result.messages)
  })

  it("by run.abort() in a step ends with 'aborted' and what there is so far", async () => {
    const stop = createMiddleware({
      name: 'stop',
      wrapRun: async (run, next) => {
        const work = next()
        run.abort()
        await work
      },
    })
    const model = scriptedModel([])
    const result = checked(await createAgent({ model, middleware: [stop] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'aborted', output: '' })
  })

  it('reaches the model call; half-streamed calls are not stored as calls (case 55)', async () => {
    const streaming = gate()
    const model = scriptedModel([
      {
        toolCalls: [toolCall('wait')],
        deltas: ['Let me ', { type: 'tool-args', toolCallId: 'c1', name: 'wait', text: '{"a' }],
        delayMs: 0,
      },
    ])
    const slow = createMiddleware({
      name: 'slow',
      wrapModelCall: (request, handler) =>
        handler(
          request.override({
            emit: async (delta) => {
              await request.emit(delta)
              if (delta.type !== 'tool-args') return
              streaming.open()
              await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()))
            },
          }),
        ),
    })
    const stream = createAgent({ model, middleware: [slow] }).stream('go')
    await streaming.promise
    stream.abort()
    const result = checked(await stream.result)
    expect(result.stopReason).toBe('aborted')
    expect(result.messages).toHaveLength(1)
  })
})
