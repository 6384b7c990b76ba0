import { ConfigError, createAgent, createMiddleware, ModelError, reply, rewriteText, wrapModelCall } from 'cepa'
import { type ModelRetryOptions, modelRetry } from 'cepa/middleware/model-retry'
import { type ScriptedReply, scriptedModel } from 'cepa/models/scripted'
import { describe, expect, test } from 'vitest'
import { middlewareContract } from '../contracts/middleware.js'
import { checked, readAll, rejection } from '../run/checked.js'

const passing = (options: object = {}) => new ModelError('busy', { retryable: true, status: 503, ...options })
const quick: ModelRetryOptions = { minDelayMs: 0 }

function run(replies: readonly ScriptedReply[], options: ModelRetryOptions = quick) {
  const model = scriptedModel(replies)
  return { model, agent: createAgent({ model, middleware: [modelRetry(options)] }) }
}

describe('modelRetry', () => {
  middlewareContract(() => modelRetry())

  test('calls again after an error that may pass, twice by default', async () => {
    const { model, agent } = run([passing(), passing(), 'done'])
    expect(checked(await agent.invoke('go'), model)).toMatchObject({ output: 'done', usage: { requests: 3 } })
    const error = passing()
    const out = run([passing(), passing(), error, 'never'])
    expect(await rejection(out.agent.invoke('go'))).toBe(error)
    expect(out.model.calls).toHaveLength(3)
    expect((await rejection(run([error], { maxRetries: 0 }).agent.invoke('go'))) === error).toBe(true)
  })

  test.each([
    ['an error that says nothing of retries', new Error('no')],
    ['a ModelError that is not retryable', new ModelError('bad key', { status: 401 })],
    ['an error round one that may pass', new Error('wrapped', { cause: passing() })],
  ])('case 73: %s rejects after one attempt', async (_name, error) => {
    const { model, agent } = run([error, 'never'])
    expect(await rejection(agent.invoke('go'))).toBe(error)
    expect(model.calls).toHaveLength(1)
  })

  test.each([
    ['TypeError', new TypeError('boom')],
    ['ReferenceError', new ReferenceError('x is not defined')],
    ['ConfigError', new ConfigError('wrong')],
  ])(
    'case 12: a %s rejects the run after one attempt as the same object, whatever the options',
    async (_name, error) => {
      const { model, agent } = run([error, 'never'], { ...quick, retryOn: () => true, onExhausted: () => 'sorry' })
      expect(await rejection(agent.invoke('go'))).toBe(error)
      expect(model.calls).toHaveLength(1)
    },
  )

  test('what is no Error keeps its identity', async () => {
    const thrown = { odd: true }
    const { agent } = run([{ error: thrown }, 'never'], { ...quick, retryOn: () => true })
    expect(await rejection(agent.invoke('go'))).toBe(thrown)
  })

  test('a failed fetch of a model of your own is retried where retryOn says so', async () => {
    const retryOn = (error: unknown) => error instanceof TypeError
    const { agent } = run([new TypeError('fetch failed'), 'done'], { ...quick, retryOn })
    expect(checked(await agent.invoke('go')).output).toBe('done')
  })

  test('case 12: onExhausted answers only for errors that were worth a retry', async () => {
    const seen: unknown[] = []
    const onExhausted = (error: unknown) => {
      seen.push(error)
      return 'Try again later.'
    }
    const last = passing()
    const out = run([passing(), passing(), last], { ...quick, onExhausted })
    expect(checked(await out.agent.invoke('go'))).toMatchObject({ output: 'Try again later.', stopReason: 'stop' })
    expect(seen).toEqual([last])

    const fatal = new ModelError('bad key', { status: 401 })
    expect(await rejection(run([passing(), fatal], { ...quick, onExhausted }).agent.invoke('go'))).toBe(fatal)
    const response = async () => reply('whole')
    expect((await run([passing({ retryAfterMs: 90_000 })], { onExhausted: response }).agent.invoke('go')).output).toBe(
      'whole',
    )
  })

  test('an error that was read back from a record is not waited for', async () => {
    const begun = Date.now()
    const { agent } = run([passing({ replayed: true, retryAfterMs: 30_000 }), 'done'], { minDelayMs: 30_000 })
    expect((await agent.invoke('go')).output).toBe('done')
    expect(Date.now() - begun).toBeLessThan(5000)
  })

  test('stands inside a model fallback', () => {
    const fallback = createMiddleware({ name: 'model-fallback', wrapModelCall: (request, handler) => handler(request) })
    const model = scriptedModel([])
    expect(() => createAgent({ model, middleware: [modelRetry(), fallback] })).toThrow(
      /"model-retry" \(position 1\) must be inside "model-fallback" \(position 2\): swap them/,
    )
    createAgent({ model, middleware: [fallback, modelRetry()] })
  })

  describe('what a failed attempt showed is voided by one reset', () => {
    const cut = { deltas: ['half of'], error: passing() }

    test('before the next attempt', async () => {
      const { agent } = run([cut, { deltas: [{ type: 'reasoning', text: 'hm' }], error: passing() }, 'whole'])
      const { events, result } = await readAll(agent.stream('go'))
      const shown = events.flatMap((event) => (event.type === 'delta' ? event.delta : []))
      expect(shown.map((delta) => (delta.type === 'reset' ? 'reset' : delta.text))).toEqual([
        'half of',
        'reset',
        'hm',
        'reset',
        'whole',
      ])
      expect(result.output).toBe('whole')
    })

    test.each(['outside', 'inside'])('also for a rewriter %s that has held it back', async (place) => {
      const held = wrapModelCall(
        rewriteText(() => {
          let text = ''
          return {
            write(more) {
              text += more
              return ''
            },
            end: () => text.toUpperCase(),
          }
        }),
      )
      const model = scriptedModel([cut, 'whole'])
      const layers = place === 'outside' ? [held, modelRetry(quick)] : [modelRetry(quick), held]
      const stream = createAgent({ model, middleware: layers }).stream('go')
      let text = ''
      for await (const piece of stream.text) text += piece
      expect(text).toBe('WHOLE')
    })
  })

  test.each([
    [{ maxRetries: -1 }, 'expected maxRetries to be a whole number from 0, got -1'],
    [{ maxRetries: Number.NaN }, 'expected maxRetries to be a whole number from 0, got NaN'],
    [{ minDelayMs: '1' }, 'expected minDelayMs to be milliseconds from 0, got string'],
    [{ factor: 0.5 }, 'expected factor to be a number from 1, got 0.5'],
    [{ jitter: 2 }, 'expected jitter to be a share from 0 to 1, got 2'],
    [{ retryOn: [TypeError] }, 'expected retryOn to be a function, got object'],
    [{ minDelayMs: 10, maxDelayMs: 5 }, 'expected maxDelayMs to be at least minDelayMs (10), got 5'],
    [null, 'modelRetry(): expected an object of options, got null'],
    [3, 'modelRetry(): expected an object of options, got 3'],
    [{ retries: 2 }, 'unknown option "retries"; expected one of maxRetries, minDelayMs'],
  ])('options are checked: %j', (options, message) => {
    const make = () => modelRetry(options as ModelRetryOptions)
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(message)
  })
})
