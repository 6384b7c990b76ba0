import { createAgent, createMiddleware, tool, wrapModelCall, wrapToolCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checkNoLeaks } from '../invariants.js'
import { checked, type Gate, gate, rejection, tick } from '../run/checked.js'

const stuck = (entered: Gate) => (): Promise<never> => {
  entered.open()
  return new Promise(() => {})
}
type Waiting = { entered: Gate; options: object; replies: Parameters<typeof scriptedModel>[0] }

/** Places in which a run may wait for ever, each of which deaf to the signal. */
const PLACES: Record<string, () => Waiting> = {
  'a tool': () => {
    const entered = gate()
    const hang = tool(stuck(entered), { name: 'hang', description: 'H.' })
    return { entered, options: { tools: [hang] }, replies: [{ toolCalls: [toolCall('hang')] }] }
  },
  'a tool behind layers': () => {
    const entered = gate()
    const hang = tool(stuck(entered), { name: 'hang', description: 'H.' })
    const pass = wrapToolCall((_request, handler) => handler())
    return { entered, options: { tools: [hang], middleware: [pass] }, replies: [{ toolCalls: [toolCall('hang')] }] }
  },
  'a tool layer': () => {
    const entered = gate()
    const hang = wrapToolCall(stuck(entered))
    return { entered, options: { middleware: [hang] }, replies: [{ toolCalls: [toolCall('x')] }] }
  },
  'the model': () => {
    const entered = gate()
    return { entered, options: {}, replies: [stuck(entered)] }
  },
  'a model layer': () => {
    const entered = gate()
    return { entered, options: { middleware: [wrapModelCall(stuck(entered))] }, replies: [] }
  },
  ...Object.fromEntries(
    (['beforeAgent', 'beforeModel', 'afterModel', 'afterAgent'] as const).map((hook) => [
      `the hook ${hook}`,
      () => {
        const entered = gate()
        const middleware = [createMiddleware({ name: 'hang', [hook]: stuck(entered) })]
        return { entered, options: { middleware }, replies: hook.startsWith('before') ? [] : ['text'] }
      },
    ]),
  ),
  'the tools of a middleware': () => {
    const entered = gate()
    const middleware = [createMiddleware({ name: 'hang', tools: stuck(entered) })]
    return { entered, options: { middleware }, replies: [] }
  },
  toolErrors: () => {
    const entered = gate()
    return { entered, options: { toolErrors: stuck(entered) }, replies: [{ toolCalls: [toolCall('unknown')] }] }
  },
  'a policy': () => {
    const entered = gate()
    const free = tool(() => 'x', { name: 'free', description: 'F.' })
    const middleware = [createMiddleware({ name: 'hang', authorizeToolCall: stuck(entered) })]
    return { entered, options: { tools: [free], middleware }, replies: [{ toolCalls: [toolCall('free')] }] }
  },
}

describe('case 64: an abort ends a run that waits for ever in', () => {
  it.each(Object.entries(PLACES))('%s', async (_place, make) => {
    for (const way of ['signal', 'abort', 'leave'] as const) {
      const { entered, options, replies } = make()
      const model = scriptedModel(replies)
      const checkpointer = memoryCheckpointer()
      const controller = new AbortController()
      const reason = new Error('enough')
      await checkNoLeaks(async () => {
        const agent = createAgent({ model, checkpointer, ...options })
        const stream = agent.stream('go', { threadId: 'T', ...(way === 'signal' && { signal: controller.signal }) })
        const reader = stream[Symbol.asyncIterator]()
        await entered.promise
        const started = performance.now()
        if (way === 'signal') controller.abort(reason)
        if (way === 'abort') stream.abort()
        if (way === 'leave') await reader.return?.()
        if (way === 'signal') expect(await rejection(stream.result)).toBe(reason)
        else expect(checked(await stream.result, model).stopReason).toBe('aborted')
        expect(performance.now() - started).toBeLessThan(500)
      }, [controller.signal])
      const after = scriptedModel(['fine'])
      const again = createAgent({ model: after, checkpointer })
      expect(checked(await again.invoke('more', { threadId: 'T' }), after).output).toBe('fine')
    }
  })
})

it('case 71: a signal that has fired already starts nothing', async () => {
  const model = scriptedModel([])
  let ran = 0
  const step = createMiddleware({ name: 'step', beforeAgent: () => void ran++, wrapRun: (_run, next) => next() })
  const reason = { any: 'reason' }
  const agent = createAgent({ model, middleware: [step] })
  expect(await rejection(agent.invoke('go', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(ran).toBe(0)
})

it('case 64: a tool that is late is dropped without a rejection, and no new call starts', async () => {
  const entered = gate()
  const late = gate()
  const slow = tool(
    async () => {
      entered.open()
      await late.promise
      throw new Error('late')
    },
    { name: 'slow', description: 'S.' },
  )
  const next = tool(() => 'never', { name: 'next', description: 'N.' })
  const model = scriptedModel([{ toolCalls: [toolCall('slow'), toolCall('next')] }])
  const agent = createAgent({ model, tools: [slow, next], toolConcurrency: 1 })
  const stream = agent.stream('go')
  await entered.promise
  stream.abort()
  const result = checked(await stream.result, model)
  expect(result.stopReason).toBe('aborted')
  expect(result.messages.slice(2)).toMatchObject([{ status: 'error' }, { status: 'error' }])
  late.open()
  await tick()
})

it.each(['wrapRun', 'wrapTurn'] as const)(
  'a %s that never settles holds an abort up for a second at most',
  async (ring) => {
    const entered = gate()
    const model = scriptedModel([])
    const deaf = createMiddleware({ name: 'deaf', [ring]: stuck(entered) })
    const stream = createAgent({ model, middleware: [deaf] }).stream('go')
    await entered.promise
    const started = performance.now()
    stream.abort()
    expect(checked(await stream.result, model).stopReason).toBe('aborted')
    expect(performance.now() - started).toBeLessThan(1500)
  },
)
