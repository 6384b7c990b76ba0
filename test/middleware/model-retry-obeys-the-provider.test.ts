import { createAgent, ModelError } from 'cepa'
import { type ModelRetryOptions, modelRetry } from 'cepa/middleware/model-retry'
import { openaiChat } from 'cepa/models/openai-chat'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { type Play, type Provider, startProvider } from '../fixtures/provider-server.js'
import { checked, rejection } from '../run/checked.js'

const DONE: Play = {
  body: { choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }] },
}
const refusal = (status: number, headers: Record<string, string> = {}, error: object = {}): Play => ({
  status,
  headers,
  body: { error: { message: 'no', ...error } },
})

describe('modelRetry over HTTP', () => {
  let provider: Provider | undefined
  afterEach(async () => {
    await provider?.close()
  })

  /** The answers of a server, and when each request came. */
  async function served(
    plays: readonly Play[] | ((index: number) => Play),
    options: ModelRetryOptions = { minDelayMs: 1 },
  ) {
    const times: number[] = []
    provider = await startProvider((_seen, index) => {
      times.push(performance.now())
      return typeof plays === 'function' ? plays(index) : (plays[Math.min(index, plays.length - 1)] as Play)
    })
    // Retries of the client's own are asked for; the adapter has them off.
    const client = new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 2, logLevel: 'off' })
    const model = openaiChat({ model: 'm', client })
    return { agent: createAgent({ model, middleware: [modelRetry(options)] }), times }
  }

  test.each([
    ['retry-after-ms', () => ({ 'retry-after-ms': '300' }), 300],
    ['retry-after in seconds', () => ({ 'retry-after': '1' }), 1000],
    ['retry-after as a date', () => ({ 'retry-after': new Date(Date.now() + 2000).toUTCString() }), 900],
  ])('case 72: waits as long as %s asks for', async (_name, headers, atLeastMs) => {
    // A date says whole seconds, and counts from the answer on.
    const { agent, times } = await served((index) => (index === 0 ? refusal(429, headers()) : DONE))
    expect(checked(await agent.invoke('go')).output).toBe('done')
    expect(times).toHaveLength(2)
    const gap = (times[1] as number) - (times[0] as number)
    expect(gap).toBeGreaterThanOrEqual(atLeastMs - 5)
    expect(gap).toBeLessThan(atLeastMs + 4000)
  })

  test('case 72: a hint of more than 60 s fails at once, with the hint in the error', async () => {
    const { agent, times } = await served([refusal(429, { 'retry-after': '120' }), DONE])
    const begun = performance.now()
    const error = await rejection(agent.invoke('go'))
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ retryAfterMs: 120_000, status: 429, retryable: true })
    expect(performance.now() - begun).toBeLessThan(2000)
    expect(times).toHaveLength(1)
  })

  test('case 72: one layer owns retries, so the number of requests is known', async () => {
    const { agent, times } = await served([refusal(503)], { maxRetries: 3, minDelayMs: 1, maxDelayMs: 5 })
    expect(await rejection(agent.invoke('go'))).toMatchObject({ status: 503 })
    expect(times).toHaveLength(4)
  })

  test.each([
    ['401', refusal(401), 1],
    ['404', refusal(404), 1],
    ['400 context_length_exceeded', refusal(400, {}, { code: 'context_length_exceeded' }), 1],
    ['429 insufficient_quota', refusal(429, {}, { code: 'insufficient_quota', type: 'insufficient_quota' }), 1],
    ['429 rate limit', refusal(429, {}, { code: 'rate_limit_exceeded' }), 3],
    ['503', refusal(503), 3],
  ])('case 73: %s makes the attempts that can help', async (_name, play, attempts) => {
    const { agent, times } = await served([play])
    const error = await rejection(agent.invoke('go'))
    expect(error).toBeInstanceOf(ModelError)
    expect((error as ModelError).cause).toBeInstanceOf(Error)
    expect(times).toHaveLength(attempts)
  })

  test('case 73: an abort is never retried', async () => {
    const { agent, times } = await served([{ before: 'stall' }])
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 100)
    expect(await rejection(agent.invoke('go', { signal: controller.signal }))).toBe(controller.signal.reason)
    expect(times.length).toBeLessThanOrEqual(1)
  })
})
