import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelError } from '../../src/errors.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { type Play, type Provider, startProvider } from '../fixtures/provider-server.js'
import { calls, DONE, delta, finish, sse } from '../fixtures/sse.js'
import { listening } from './call.js'

let provider: Provider
let play: Play = {}
beforeAll(async () => {
  provider = await startProvider(() => play)
})
afterAll(() => provider.close())

const generate = (given: Play) => {
  play = given
  return openaiChat({ model: 'm', baseURL: provider.url, provider: 'local' }).generate(listening().call)
}
const failure = (given: Play): Promise<ModelError> =>
  generate(given).then(
    () => expect.unreachable(),
    (error) => error,
  )

const text = delta({ content: 'part' })
const wholeCall = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } })
const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }

describe('a stream', () => {
  it.each<[string, Play]>([
    ['text, then its end', { body: sse([text]) }],
    ['a call that looks complete, then its end', { body: sse([wholeCall]) }],
    ['a cut data line, then its end', { body: `${sse([text])}data: {"choices":[{"index":0,"de` }],
    ['a cut data line that is ended', { body: `${sse([text])}data: {"choices":[{"ind\n\n` }],
    ['garbage between chunks', { body: sse([text, 'data: <html>', finish('stop'), DONE]) }],
    ['nothing at all', { body: '' }],
    ['only an end mark', { body: sse([DONE]) }],
    ['a page', { type: 'text/html', body: '<html>Bad gateway</html>' }],
    ['a reset within', { body: sse([text]), after: 'reset' }],
    ['a blank finish reason', { body: sse([delta({ content: 'x' }, '')]) }],
    ['the mark inside a text only', { body: sse([delta({ content: '\ndata: [DONE]\n' })]) }],
    ['an error inside', { body: sse([text, { error: { message: 'overloaded', code: 502 } }]) }],
    [
      'an error inside a choice',
      { body: sse([text, { choices: [{ index: 0, delta: {}, error: { message: 'x' } }] }, DONE]) },
    ],
    [
      'an error event without an error key',
      { body: sse([text, 'event: error\ndata: {"object":"error","message":"x"}', DONE]) },
    ],
    ['finish_reason error', { body: sse([text, finish('error'), DONE]) }],
  ])('case 92: %s: incomplete, retryable', async (_title, given) => {
    expect(await failure(given)).toMatchObject({ code: 'STREAM_INCOMPLETE', provider: 'local', retryable: true })
  })

  it('case 92: a finish reason is an end without [DONE], and [DONE] is one without a finish reason', async () => {
    const reply = await generate({ body: sse([text, finish('stop'), usage]) })
    expect(reply).toEqual({
      message: { role: 'assistant', content: 'part' },
      finishReason: 'stop',
      usage: { requests: 1, input: 1, output: 2 },
    })
    expect((await generate({ body: sse([wholeCall, DONE]) })).finishReason).toBe('tool_calls')
  })

  it('is complete with its mark, whatever comes behind', async () => {
    const complete = sse([text, finish('stop'), DONE])
    for (const given of [
      { body: `${complete}garbage\n\ndata: {"cut` },
      { body: sse([text, finish('stop'), DONE, DONE]) },
      { body: complete, after: 'reset' as const },
    ]) {
      expect((await generate(given)).message.content).toBe('part')
    }
  })

  it('is not tried again when an error inside says that it is of no use', async () => {
    for (const error of [
      { message: 'x', code: 'insufficient_quota' },
      { message: 'x', type: 'invalid_request_error' },
      { message: 'x', code: 401 },
    ]) {
      expect(await failure({ body: sse([text, { error }]) })).toMatchObject({ retryable: false })
    }
  })

  it('may be answered with JSON in its place', async () => {
    const body = { choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }] }
    play = { body }
    const { call, deltas } = listening()
    expect((await openaiChat({ model: 'm', baseURL: provider.url }).generate(call)).message.content).toBe('whole')
    expect(deltas).toEqual([{ type: 'text', text: 'whole' }])
    expect(await failure({ body: { error: { message: 'no', code: 'invalid_api_key' } } })).toMatchObject({
      code: 'STREAM_INCOMPLETE',
      retryable: false,
    })
    expect(await failure({ body: { hello: 'world' } })).toMatchObject({ code: 'MODEL_RESPONSE' })
  })
})
