import { getEventListeners } from 'node:events'
import { createAgent, createMiddleware, ModelError } from 'cepa'
import { modelRetry } from 'cepa/middleware/model-retry'
import { scriptedModel } from 'cepa/models/scripted'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { checked, gate, rejection, tick } from '../run/checked.js'

const busy = () => new ModelError('busy', { retryable: true })
const LONG = { minDelayMs: 60_000, maxDelayMs: 60_000 }

/** A model that is busy, and says when it has said so. */
function always(onCall: () => void = () => {}) {
  const called = gate()
  const model = scriptedModel(() => {
    onCall()
    called.open()
    return busy()
  })
  return { called, model, agent: createAgent({ model, middleware: [modelRetry(LONG)] }) }
}

describe('case 71: an abort in a back-off', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('ends the wait within milliseconds, as the abort, with no timer and no listener left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { called, model, agent } = always()
    const controller = new AbortController()
    const run = rejection(agent.invoke('go', { signal: controller.signal }))
    await called.promise
    await tick()
    expect(vi.getTimerCount()).toBe(1)
    const begun = performance.now()
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await run).toBe(reason)
    expect(performance.now() - begun).toBeLessThan(100)
    await tick()
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    expect(model.calls).toHaveLength(1)
  })

  test.each([
    ['while the attempt runs, which fails with its own error', 1],
    ['before the run', 0],
  ])('%s: no wait, no further attempt', async (when, calls) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { model, agent } = always(() => controller.abort(reason))
    if (when === 'before the run') controller.abort(reason)
    const begun = performance.now()
    expect(await rejection(agent.invoke('go', { signal: controller.signal }))).toBe(reason)
    expect(performance.now() - begun).toBeLessThan(1000)
    expect(model.calls).toHaveLength(calls)
  })

  test('by run.abort() ends the run with what there is', async () => {
    const { called, agent } = always()
    const stream = agent.stream('go')
    await called.promise
    await tick()
    stream.abort()
    expect(checked(await stream.result).stopReason).toBe('aborted')
  })

  test("reaches it through a layer that put a signal of its own in the run's place", async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { called, model } = always()
    const own = new AbortController()
    const deadline = createMiddleware({
      name: 'deadline',
      wrapModelCall: (request, handler) => handler(request.override({ signal: own.signal })),
    })
    const controller = new AbortController()
    const agent = createAgent({ model, middleware: [deadline, modelRetry(LONG)] })
    const run = rejection(agent.invoke('go', { signal: controller.signal }))
    await called.promise
    await tick()
    controller.abort(new Error('enough'))
    await run
    await tick()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of an outer layer alone ends the call with its reason', async () => {
    const { called, model } = always()
    const own = new AbortController()
    const reason = new Error('too slow')
    const deadline = createMiddleware({
      name: 'deadline',
      wrapModelCall: (request, handler) => handler(request.override({ signal: own.signal })),
    })
    const run = rejection(createAgent({ model, middleware: [deadline, modelRetry(LONG)] }).invoke('go'))
    await called.promise
    await tick()
    own.abort(reason)
    expect(await run).toBe(reason)
  })
})
