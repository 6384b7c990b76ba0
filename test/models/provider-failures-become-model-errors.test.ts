import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAgentError, type ModelError } from '../../src/errors.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { openaiResponses } from '../../src/models/openai-responses.js'
import { type Play, type Provider, startProvider } from '../fixtures/provider-server.js'
import { listening, modelCall } from './call.js'

let provider: Provider
let play: Play = {}
beforeAll(async () => {
  provider = await startProvider(() => play)
})
afterAll(() => provider.close())

const KEY = 'key-0123456789abcdef'

/** The failure of one play, which must be the same streamed and not, for both protocols. */
async function failure(given: Play): Promise<ModelError> {
  play = given
  const failures: ModelError[] = []
  for (const make of [openaiChat, openaiResponses]) {
    for (const call of [modelCall(), listening().call]) {
      const seen = provider.requests.length
      const model = make({ model: 'm', baseURL: provider.url, provider: 'local', apiKey: KEY })
      failures.push(
        await model.generate(call).then(
          () => expect.unreachable(),
          (error) => error,
        ),
      )
      expect(provider.requests.length, 'one layer owns retries').toBe(seen + 1)
    }
  }
  const facts = failures.map(({ code, status, retryable, requestId }) => ({ code, status, retryable, requestId }))
  expect(facts).toEqual(facts.map(() => facts[0]))
  expect(failures.every(isAgentError)).toBe(true)
  return failures[0]!
}

const said = (message: string, extra: Record<string, unknown> = {}) => ({ error: { message, ...extra } })

describe('an answer of the provider', () => {
  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [409, true],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
  ])('%i: retryable %s', async (status, retryable) => {
    const error = await failure({ status, body: said('nope'), headers: { 'x-request-id': 'req-7' } })
    expect(error).toMatchObject({ code: 'MODEL_FAILED', provider: 'local', status, retryable, requestId: 'req-7' })
    expect(error.message).toBe(`local model "m" answered ${status} nope`)
    expect(error.cause).toMatchObject({ status })
  })

  it('says more than its status', async () => {
    expect(await failure({ status: 500, body: said('x'), headers: { 'x-should-retry': 'false' } })).toMatchObject({
      retryable: false,
    })
    expect(await failure({ status: 400, body: said('x'), headers: { 'x-should-retry': 'true' } })).toMatchObject({
      retryable: true,
    })
    const quota = said('You exceeded your current quota', { code: 'insufficient_quota', type: 'insufficient_quota' })
    expect(await failure({ status: 429, body: quota, headers: { 'x-should-retry': 'true' } })).toMatchObject({
      retryable: false,
    })
    expect((await failure({ status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' })).message).toContain(
      'Bad gateway',
    )
  })

  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '86400' }, 86_400_000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{}, undefined],
  ])('hint %j is %s ms', async (headers, ms) => {
    expect((await failure({ status: 429, body: said('slow down'), headers })).retryAfterMs).toBe(ms)
  })

  it('hint as a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    const { retryAfterMs } = await failure({ status: 429, body: said('x'), headers: { 'retry-after': date } })
    expect(retryAfterMs).toBeGreaterThan(20_000)
    expect(retryAfterMs).toBeLessThanOrEqual(30_000)
  })

  it('never shows a key', async () => {
    const text = `Incorrect API key: ${KEY}, not sk-proj-abcdefghijklmnopqrst`
    const { message } = await failure({ status: 401, body: said(text) })
    expect(message).toBe('local model "m" answered 401 Incorrect API key: [redacted], not [redacted]')
  })
})

describe('a connection', () => {
  it('that is reset before the headers may be tried again', async () => {
    const error = await failure({ before: 'reset' })
    expect(error).toMatchObject({ code: 'MODEL_FAILED', retryable: true, status: undefined })
    expect(error.message).toContain('could not be reached')
  })

  it('that nobody listens at says why', async () => {
    const model = openaiChat({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', provider: 'local' })
    const error: ModelError = await model.generate(modelCall()).then(
      () => expect.unreachable(),
      (failed) => failed,
    )
    expect(error).toMatchObject({ code: 'MODEL_FAILED', retryable: true })
    expect(error.message).toMatch(/could not be reached/)
  })

  it('that ends within JSON may be tried again', async () => {
    play = { type: 'application/json', body: '{"choices":[{"mess' }
    const model = openaiChat({ model: 'm', baseURL: provider.url })
    await expect(model.generate(modelCall())).rejects.toMatchObject({ code: 'STREAM_INCOMPLETE', retryable: true })
    play = { type: 'application/json', body: '{"choices":[', after: 'reset' }
    await expect(model.generate(modelCall())).rejects.toMatchObject({ retryable: true })
  })
})

describe('a reply without the promised shape', () => {
  it.each([[{}], [{ choices: 'x' }], ['text'], [[1]]])('%j is a ModelError', async (body) => {
    const fetch = async () => Response.json(body)
    const model = openaiChat({ model: 'm', baseURL: provider.url, fetch })
    await expect(model.generate(modelCall())).rejects.toMatchObject({ code: 'MODEL_RESPONSE' })
  })
})

it('what a listener throws reaches the caller as the same object', async () => {
  play = { body: 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n', after: 'stall' }
  const thrown = new Error('mine')
  const call = modelCall({
    streaming: true,
    emit: () => {
      throw thrown
    },
  })
  await expect(openaiChat({ model: 'm', baseURL: provider.url }).generate(call)).rejects.toBe(thrown)
})
