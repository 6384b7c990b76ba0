import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/messages.js'
import type { ModelCall, ModelProfile } from '../../src/models/model.js'
import { type OpenaiResponsesOptions, openaiResponses } from '../../src/models/openai-responses.js'
import { RESPONSE_STREAMS } from '../fixtures/response-streams.js'
import { bodyOf, cutBody, fetchOf, sse } from '../fixtures/sse.js'
import { listening, modelCall, tool } from './call.js'
import { shown } from './play.js'

const make = (fetch: typeof globalThis.fetch, options: Partial<OpenaiResponsesOptions> = {}) =>
  openaiResponses({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', provider: 'local', fetch, ...options })
const tools = [tool('f'), tool('g')]

describe.each(RESPONSE_STREAMS)('$family', ({ text, message, finishReason, usage }) => {
  const right = usage ? { message, finishReason, usage } : { message, finishReason }
  const content = String(message.content ?? '')

  it('is the same streamed and not', async () => {
    const { call, deltas } = listening({ tools })
    expect(await make(fetchOf(() => text)).generate(call)).toEqual(right)
    expect(shown(deltas, 'text')).toBe(content)
    expect(shown(deltas, 'reasoning')).toBe(message.reasoning ?? '')
    const last = JSON.parse(text.trimEnd().split('data: ').at(-1)!).response
    if (last.output.length === 0) return
    expect(await make(async () => Response.json(last)).generate(modelCall({ tools }))).toEqual(right)
    const asked = listening({ tools })
    expect(await make(async () => Response.json(last)).generate(asked.call)).toEqual(right)
    expect(shown(asked.deltas, 'text')).toBe(content)
  })

  it('is the same for a cut at each of its bytes', async () => {
    const bytes = new TextEncoder().encode(text)
    let at = 1
    const model = make(fetchOf(() => cutBody(bytes, at)))
    for (; at < bytes.length; at += 1) expect(await model.generate(listening({ tools }).call)).toEqual(right)
  })
})

describe('a stream of responses', () => {
  it.each([
    ['ends early', [{ type: 'response.output_text.delta', delta: 'x' }], true],
    [
      'fails',
      [{ type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'x' } } }],
      true,
    ],
    [
      'fails for good',
      [{ type: 'response.failed', response: { status: 'failed', error: { code: 'invalid_prompt', message: 'x' } } }],
      false,
    ],
    ['holds an error event', [{ type: 'error', code: 'rate_limit_exceeded', message: 'x' }], true],
    ['holds an error object', [{ error: { code: 'insufficient_quota', message: 'x' } }], false],
    ['is cancelled', [{ type: 'response.completed', response: { status: 'cancelled', output: [] } }], true],
  ])('that %s is a failure', async (_title, events, retryable) => {
    const failed = make(fetchOf(() => bodyOf([sse(events)]))).generate(listening().call)
    await expect(failed).rejects.toMatchObject({ code: 'STREAM_INCOMPLETE', provider: 'local', retryable })
  })

  it.each([[{ status: 'queued', output: [] }], ['text'], [{ status: 'in_progress' }]])(
    '%j is no finished response',
    async (body) => {
      await expect(make(async () => Response.json(body)).generate(modelCall())).rejects.toMatchObject({
        code: 'MODEL_RESPONSE',
      })
      const failed = make(async () =>
        Response.json({ status: 'failed', error: { code: 'server_error', message: 'x' } }),
      )
      await expect(failed.generate(modelCall())).rejects.toMatchObject({ code: 'STREAM_INCOMPLETE', retryable: true })
    },
  )

  it('gives ids to calls that have none', async () => {
    const item = { type: 'function_call', name: 'f', arguments: '' }
    const body = { status: 'completed', output: [item, { ...item, call_id: 'd' }, { ...item, call_id: 'd' }] }
    const { message } = await make(async () => Response.json(body)).generate(modelCall({ tools }))
    expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(3)
    expect(message.tool_calls?.map(({ function: fn }) => fn.arguments)).toEqual(['{}', '{}', '{}'])
  })
})

/** The body of the request of a call. */
async function body(
  given: Partial<ModelCall>,
  options: Partial<OpenaiResponsesOptions> = {},
): Promise<Record<string, unknown>> {
  let sent: Record<string, unknown> = {}
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent = JSON.parse(String(init?.body))
    expect(String(url)).toMatch(/\/v1\/responses$/)
    return Response.json({ status: 'completed', output: [] })
  }
  await make(fetch, options).generate(modelCall(given))
  return sent
}

describe('a request of responses', () => {
  it('holds the history as items, and system messages as instructions', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:x' } },
          { type: 'file', file: { file_id: 'f1' } },
        ],
      },
      {
        role: 'assistant',
        content: 'on it',
        id: 'm1',
        reasoning: 'r',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '', name: 'f', status: 'error', artifact: 1 },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c2', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:y', detail: 'low' } },
        ],
      },
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'user', content: '' },
    ]
    expect(await body({ messages, systemPrompt: 'A' })).toEqual({
      model: 'm',
      store: false,
      instructions: 'A\n\nB',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'data:x', detail: 'auto' },
            { type: 'input_file', file_id: 'f1' },
          ],
        },
        { role: 'assistant', content: 'on it' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '(no output)' },
        { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{"a":1}' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'a' },
            { type: 'input_image', image_url: 'data:y', detail: 'low' },
          ],
        },
        { role: 'assistant', content: '(empty)' },
        { role: 'user', content: '(empty)' },
      ],
    })
  })

  it('sends reasoning and items of built-in tools back verbatim', async () => {
    const { message } = RESPONSE_STREAMS[1]!
    const said = message as unknown as Message & { role: 'assistant'; response_items: unknown[] }
    const results: Message[] = ['c1', 'c2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
    const outputs = ['c1', 'c2'].map((call_id) => ({ type: 'function_call_output', call_id, output: 'x' }))
    expect((await body({ messages: [said, ...results] })).input).toEqual([...said.response_items, ...outputs])

    const edited = structuredClone(said)
    edited.tool_calls![0]!.function.arguments = '{"x":2}'
    expect((await body({ messages: [edited, ...results] })).input).toMatchObject([
      { type: 'reasoning' },
      {},
      { call_id: 'c1', arguments: '{"x":2}' },
      { call_id: 'c2' },
      {},
      {},
    ])

    const plain = [{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"x":1}' }]
    const fewer = { ...said, tool_calls: said.tool_calls!.slice(0, 1) }
    expect((await body({ messages: [fewer, results[0]!] })).input).toEqual([...plain, outputs[0]])

    const bare = {
      ...said,
      response_items: said.response_items.map((item) => ({ ...(item as object), encrypted_content: undefined })),
    }
    expect((await body({ messages: [bare, ...results] })).input).not.toContainEqual(
      expect.objectContaining({ type: 'reasoning' }),
    )
    expect((await body({ messages: [bare, ...results] }, { store: true })).input).toContainEqual(
      expect.objectContaining({ type: 'reasoning' }),
    )
  })

  it('asks for encrypted reasoning of models that reason, unless the provider stores it', async () => {
    const include = async (options: Partial<OpenaiResponsesOptions>) => (await body({}, options)).include
    for (const model of ['gpt-5.4', 'o3', 'gpt-6-codex'])
      expect(await include({ model })).toEqual(['reasoning.encrypted_content'])
    for (const model of ['gpt-4.1', 'gpt-5-chat-latest', 'llama']) expect(await include({ model })).toBeUndefined()
    expect(await include({ model: 'o3', store: true })).toBeUndefined()
    expect(await include({ encryptedReasoning: true })).toBeDefined()
  })

  it('holds settings, tools and format in its own words', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const sent = await body({
      tools: [
        tool('a.b'),
        tool('g', { strict: true, inputSchema: schema }),
        tool('search', { provider: { type: 'web_search' } }),
      ],
      toolChoice: { name: 'a.b' },
      outputFormat: { name: 'out', schema },
      settings: {
        temperature: 1,
        topP: 0.5,
        maxTokens: 9,
        reasoningEffort: 'low',
        parallelToolCalls: false,
        stop: ['x'],
        seed: 1,
        extraBody: { user: 'u' },
      },
    })
    const strict = {
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
      required: ['a'],
      additionalProperties: false,
    }
    expect(sent).toEqual({
      model: 'm',
      store: false,
      input: [{ role: 'user', content: 'hi' }],
      tools: [
        {
          type: 'function',
          name: 'a_b',
          description: 'does a.b',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
        { type: 'function', name: 'g', description: 'does g', parameters: strict, strict: true },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'a_b' },
      parallel_tool_calls: false,
      text: { format: { type: 'json_schema', name: 'out', schema: strict, strict: true } },
      temperature: 1,
      top_p: 0.5,
      max_output_tokens: 9,
      reasoning: { effort: 'low' },
      user: 'u',
    })
    const builtIn = await body({
      tools: [tool('search', { provider: { type: 'web_search' } })],
      toolChoice: { name: 'search' },
    })
    expect(builtIn.tool_choice).toEqual({ type: 'web_search' })
    const none = await body({ toolChoice: 'required', settings: { parallelToolCalls: true } })
    expect(Object.keys(none)).toEqual(['model', 'input', 'store'])
  })

  it('maps ids as the profile says', async () => {
    const profile: ModelProfile = { callIds: 'portable' }
    const id = `call.${'x'.repeat(60)}`
    const messages: Message[] = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'x' },
    ]
    const [call, output] = (await body({ messages }, { profile })).input as { call_id: string }[]
    expect(call!.call_id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(output!.call_id).toBe(call!.call_id)
  })
})
