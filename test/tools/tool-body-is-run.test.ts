import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Scope } from '../../src/internal/scope.js'
import { isControl } from '../../src/interrupt.js'
import { tool } from '../../src/tools/tool.js'
import { run } from './body.js'

const options = { name: 'work', description: 'Works.' }

describe('a body', () => {
  test('that is synchronous costs no promise', () => {
    expect(run(tool(() => 'now', options))).toEqual({ content: 'now', status: 'success' })
  })

  test('gets its arguments and its runtime, also destructured', async () => {
    const made = tool(
      async ({ a }, { toolCallId, context, executionInfo, deps, signal, state }) => {
        return { a, toolCallId, context, attempt: executionInfo.attempt, deps, aborted: signal.aborted, state }
      },
      { ...options, schema: z.object({ a: z.number() }) },
    )
    const { content } = await run(made, { a: 1 }, { context: { user: 'ann' } })
    expect(JSON.parse(content as string)).toEqual({
      a: 1,
      toolCallId: 'call_1',
      context: { user: 'ann' },
      attempt: 1,
      deps: {},
      aborted: false,
      state: { messages: [] },
    })
  })

  test('L31: that is an async generator shows its yields, and its returned value counts', async () => {
    const seen: unknown[] = []
    const made = tool(async function* () {
      yield 'a'
      yield { at: 2 }
      return 'done'
    }, options)
    expect(await run(made, {}, { onProgress: (chunk) => void seen.push(chunk) })).toMatchObject({ content: 'done' })
    expect(seen).toEqual(['a', { at: 2 }])
  })

  test('L31: else its last yield', async () => {
    const made = tool(function* () {
      yield 1
      yield 2
    }, options)
    expect(await run(made)).toMatchObject({ content: '2' })
    expect(await run(tool(async () => made.execute?.({}, {} as never), options))).toMatchObject({ content: '2' })
  })

  test('that gives an iterator of another kind gives a value', async () => {
    expect(await run(tool(() => [1, 2].values(), options))).toMatchObject({ content: '{}' })
  })

  test('L31: that is a generator is closed by an abort, and by a reader that fails', async () => {
    const closed: string[] = []
    const made = tool(async function* () {
      try {
        yield 1
        yield 2
      } finally {
        closed.push('closed')
      }
    }, options)
    const scope = new Scope()
    const reason = new Error('enough')
    const aborted = run(made, {}, { scope, onProgress: () => scope.abort(reason) })
    await expect(aborted).rejects.toBe(reason)
    const failed = run(made, {}, { onProgress: () => Promise.reject(new Error('gone')) })
    await expect(failed).rejects.toThrow('gone')
    expect(closed).toEqual(['closed', 'closed'])
  })

  test('is left at once when the scope is aborted, and what it does later is dropped', async () => {
    const scope = new Scope()
    let fail = (_error: Error): void => {}
    const made = tool(() => new Promise((_resolve, reject) => (fail = reject)), options)
    const running = run(made, {}, { scope })
    scope.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
    fail(new Error('late'))
  })

  test('what it throws is the same object', async () => {
    const error = new Error('no')
    await expect(run(tool(async () => Promise.reject(error), options))).rejects.toBe(error)
    const thrower = tool(() => {
      throw error
    }, options)
    expect(() => run(thrower)).toThrow(error)
  })

  test('its time limit fails the call, aborts its own signal only, and leaves no timer', async () => {
    // The first such call loads what keeps the time, which fake timers would not wait for.
    await run(tool(() => 'fast', { ...options, timeoutMs: 50 }))
    vi.useFakeTimers()
    try {
      const scope = new Scope()
      let signal: AbortSignal | undefined
      const made = tool(
        (_args, runtime) => {
          signal = runtime.signal
          return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)))
        },
        { ...options, timeoutMs: 50 },
      )
      const running = Promise.resolve(run(made, {}, { scope })).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(50)
      const error = await running
      expect(error).toMatchObject({ name: 'ToolError', code: 'TOOL_TIMEOUT', retryable: true })
      expect(isControl(error)).toBe(false)
      expect(signal?.aborted).toBe(true)
      expect(scope.aborted).toBe(false)
      expect(await run(tool(async () => 'fast', { ...options, timeoutMs: 50 }))).toMatchObject({ content: 'fast' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('L47: outputSchema checks what it returns', async () => {
    const outputSchema = z.object({ n: z.number() })
    const made = (value: unknown) => run(tool(() => value, { ...options, outputSchema }))
    expect(made({ n: 1, extra: true })).toMatchObject({ content: '{"n":1}' })
    expect(() => made({ n: 'x' })).toThrow(/"work" gave what does not fit its outputSchema: n: /)
    const pair = tool(() => [{ n: 1 }, 'raw'], { ...options, outputSchema, responseFormat: 'content_and_artifact' })
    expect(run(pair)).toMatchObject({ content: '{"n":1}', artifact: 'raw' })
  })
})
