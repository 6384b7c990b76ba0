import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelError } from '../../src/errors.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { openaiResponses } from '../../src/models/openai-responses.js'
import { type Play, type Provider, startProvider } from '../fixtures/provider-server.js'
import { DONE, delta, finish, sse } from '../fixtures/sse.js'
import { listening, modelCall } from './call.js'

const IDLE_MS = 100
const PLAYS: Record<string, Play> = {
  'silence before the headers': { before: 'stall' },
  'headers only': { after: 'stall' },
  'one delta, then nothing': { body: sse([delta({ content: 'x' })]), after: 'stall' },
  'comments only': { after: 'keep-alive' },
  'one delta, then comments': { body: sse([delta({ content: 'x' })]), after: 'keep-alive' },
  'JSON that never ends': { type: 'application/json', body: '{"choices":[', after: 'stall' },
}

let provider: Provider
let play: Play = {}
beforeAll(async () => {
  provider = await startProvider(() => play)
})
afterAll(() => provider.close())

const settled = async (isTrue: () => boolean): Promise<boolean> => {
  for (let tries = 0; tries < 100 && !isTrue(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10))
  return isTrue()
}

describe.each([
  ['chat', openaiChat],
  ['responses', openaiResponses],
])('case 65: %s', (_name, make) => {
  it.each(Object.keys(PLAYS).flatMap((name) => [true, false].map((streaming) => [name, streaming] as const)))(
    '%s, streaming %s: a timeout within the idle limit, and the connection closed',
    async (name, streaming) => {
      play = PLAYS[name]!
      const model = make({ model: 'm', baseURL: provider.url })
      const before = performance.now()
      const failure: ModelError = await model
        .generate({ ...listening().call, streaming, settings: { idleTimeoutMs: IDLE_MS } })
        .then(
          () => expect.unreachable(),
          (error) => error,
        )
      expect(failure.code).toBe('MODEL_TIMEOUT')
      expect(failure).toMatchObject({ retryable: true, provider: 'openai-compatible' })
      expect(failure.message).toContain('100 ms')
      expect(performance.now() - before).toBeLessThan(IDLE_MS * 10)
      expect(await settled(() => provider.requests.at(-1)!.dropped)).toBe(true)
    },
  )
})

describe('an idle limit', () => {
  const model = () => openaiChat({ model: 'm', baseURL: provider.url })

  it('is not reached by a slow stream, nor by a slow reader', async () => {
    play = {
      body: [1, 2, 3, 4].map(() => sse([delta({ content: 'x' })])).concat(sse([finish('stop'), DONE])),
      everyMs: 40,
    }
    const { call } = listening({ settings: { idleTimeoutMs: IDLE_MS } })
    expect((await model().generate(call)).message.content).toBe('xxxx')
    play = { ...play, everyMs: 0 }
    const emit = () => new Promise<void>((resolve) => setTimeout(resolve, IDLE_MS * 1.5))
    expect((await model().generate({ ...call, emit })).message.content).toBe('xxxx')
  })

  it('does not wait for a connection that stays open behind [DONE]', async () => {
    play = { body: sse([delta({ content: 'x' }), finish('stop'), DONE]), after: 'keep-alive' }
    const { call } = listening({ settings: { idleTimeoutMs: 5000 } })
    const before = performance.now()
    expect((await model().generate(call)).message.content).toBe('x')
    expect(performance.now() - before).toBeLessThan(1000)
    expect(await settled(() => provider.requests.at(-1)!.dropped)).toBe(true)
  })
})

describe('an abort', () => {
  it.each([
    ['before the headers', { before: 'stall' } as Play],
    ['within a stream', { body: sse([delta({ content: 'x' })]), after: 'stall' } as Play],
  ])('%s rejects with the reason itself, closes the connection, and leaves no listener', async (_name, given) => {
    play = given
    for (const streaming of [true, false]) {
      const controller = new AbortController()
      let listeners = 0
      const { addEventListener, removeEventListener } = controller.signal
      controller.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        listeners += 1
        addEventListener.apply(controller.signal, args)
      }
      controller.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
        listeners -= 1
        removeEventListener.apply(controller.signal, args)
      }
      const seen = provider.requests.length
      const model = openaiChat({ model: 'm', baseURL: provider.url })
      const pending = model.generate(modelCall({ streaming, signal: controller.signal }))
      pending.catch(() => {})
      await settled(() => provider.requests.length > seen)
      const reason = { any: 'value' }
      controller.abort(reason)
      await expect(pending).rejects.toBe(reason)
      expect(listeners).toBe(0)
      expect(await settled(() => provider.requests.at(-1)!.dropped)).toBe(true)
    }
  })

  it('that came before sends nothing', async () => {
    const seen = provider.requests.length
    const signal = AbortSignal.abort('early')
    await expect(openaiChat({ model: 'm', baseURL: provider.url }).generate(modelCall({ signal }))).rejects.toBe(
      'early',
    )
    expect(provider.requests.length).toBe(seen)
  })
})
