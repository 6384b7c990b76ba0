import { OpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import type { ModelCall, ModelSettings } from '../../src/models/model.js'
import { type ChatClient, openaiChat } from '../../src/models/openai-chat.js'
import { openaiResponses, type ResponsesClient } from '../../src/models/openai-responses.js'
import { DONE, delta, finish, sse } from '../fixtures/sse.js'
import { listening, modelCall, tool } from './call.js'

interface Sent {
  url: string
  headers: Headers
  body: Record<string, unknown>
}

/** Sends one call and gives the request that the provider saw. */
async function sent(
  given: Partial<ModelCall>,
  options: Parameters<typeof openaiChat>[0] | { provider: string } = { provider: 'local' },
): Promise<Sent> {
  const seen: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const body = JSON.parse(String(init?.body))
    seen.push({ url: String(url), headers: new Headers(init?.headers), body })
    return body.stream
      ? new Response(sse([delta({ content: 'x' }), finish('stop'), DONE]), {
          headers: { 'content-type': 'text/event-stream' },
        })
      : Response.json({ choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] })
  }
  const model = openaiChat({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', apiKey: 'k', ...options, fetch })
  await model.generate(given.streaming ? listening(given).call : modelCall(given))
  return seen[0]!
}

const messages = [{ role: 'user', content: 'hi' }]
const ALL: ModelSettings = {
  temperature: 1.5,
  topP: 0.9,
  maxTokens: 50,
  stop: ['a'],
  seed: 7,
  reasoningEffort: 'low',
  parallelToolCalls: false,
  headers: { 'x-mine': '1' },
  extraBody: { top_k: 3, seed: 8 },
}

describe('a request', () => {
  it('case 111: without tools holds nothing about tools', async () => {
    const given = { toolChoice: 'required' as const, settings: { parallelToolCalls: true } }
    expect((await sent(given)).body).toEqual({ model: 'm', messages })
    const format = { outputFormat: { name: 'out put', schema: { type: 'object', properties: {} } } }
    const { body } = await sent({ ...given, ...format })
    expect(Object.keys(body)).toEqual(['model', 'messages', 'response_format'])
  })

  it('streams only if somebody listens', async () => {
    expect((await sent({ streaming: true })).body).toEqual({
      model: 'm',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(
      (await sent({ streaming: true }, { provider: 'local', model: 'm', profile: { streamUsage: false } })).body,
    ).toEqual({ model: 'm', messages, stream: true })
  })

  it('holds the settings in the words of the wire, and the extra body over them', async () => {
    const { body, headers } = await sent({ settings: ALL, tools: [tool('f')] })
    expect(body).toMatchObject({
      temperature: 1.5,
      top_p: 0.9,
      max_tokens: 50,
      stop: ['a'],
      seed: 8,
      reasoning_effort: 'low',
      parallel_tool_calls: false,
      top_k: 3,
    })
    expect(headers.get('x-mine')).toBe('1')
    expect('tool_choice' in body).toBe(false)
    expect('parallel_tool_calls' in (await sent({ tools: [tool('f')] })).body).toBe(false)
    const own = await sent(
      { settings: { headers: { 'x-a': 'call' } } },
      { provider: 'local', model: 'm', headers: { 'x-a': 'model', 'x-b': 'model' } },
    )
    expect([own.headers.get('x-a'), own.headers.get('x-b')]).toEqual(['call', 'model'])
  })

  it('holds tools, and a choice among them', async () => {
    const strict = tool('g', { strict: true, inputSchema: { type: 'object', properties: { a: { type: 'string' } } } })
    const search = tool('search', { provider: { type: 'web_search', max: 3 } })
    const { body } = await sent({ tools: [tool('f'), strict, search], toolChoice: 'required' })
    expect(body.tools).toEqual([
      {
        type: 'function',
        function: { name: 'f', description: 'does f', parameters: { type: 'object', properties: {} } },
      },
      {
        type: 'function',
        function: {
          name: 'g',
          description: 'does g',
          strict: true,
          parameters: {
            type: 'object',
            properties: { a: { type: ['string', 'null'] } },
            required: ['a'],
            additionalProperties: false,
          },
        },
      },
      { type: 'web_search', max: 3 },
    ])
    expect(body.tool_choice).toBe('required')
    for (const choice of ['auto', 'none'] as const)
      expect((await sent({ tools: [strict], toolChoice: choice })).body.tool_choice).toBe(choice)
    expect((await sent({ tools: [strict], toolChoice: { name: 'g' } })).body.tool_choice).toEqual({
      type: 'function',
      function: { name: 'g' },
    })
  })

  it('holds the output format as a strict schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const { body } = await sent({ outputFormat: { name: 'my answer', schema } })
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'my_answer',
        strict: true,
        schema: {
          type: 'object',
          properties: { a: { type: ['string', 'null'] } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    })
    const gemini = await sent({ outputFormat: { name: 'a', schema } }, { provider: 'google_genai' })
    expect(JSON.stringify(gemini.body.response_format)).not.toContain('additionalProperties')
  })

  it.each([
    ['openai', { max_completion_tokens: 50, temperature: 1.5, tool_choice: 'required' }],
    ['anthropic', { max_tokens: 50, temperature: 1 }],
    ['mistral', { tool_choice: 'any' }],
  ])('of %s has its quirks', async (provider, right) => {
    expect(
      (await sent({ settings: ALL, tools: [tool('f')], toolChoice: 'required' }, { provider })).body,
    ).toMatchObject(right)
  })

  it('tells other providers nothing about an organisation of OpenAI', async () => {
    process.env.OPENAI_ORG_ID = 'org-1'
    process.env.OPENAI_PROJECT_ID = 'proj-1'
    try {
      const headers = async (provider: string) => {
        const given = (await sent({}, { provider })).headers
        return [given.get('openai-organization'), given.get('openai-project'), given.get('authorization')]
      }
      expect(await headers('groq')).toEqual([null, null, 'Bearer k'])
      expect(await headers('openai')).toEqual(['org-1', 'proj-1', 'Bearer k'])
    } finally {
      delete process.env.OPENAI_ORG_ID
      delete process.env.OPENAI_PROJECT_ID
    }
  })
})

describe('a client that is handed over', () => {
  it('is called without retries', async () => {
    let requests = 0
    const fetch = async () => {
      requests += 1
      return Response.json({ error: { message: 'x' } }, { status: 500 })
    }
    const client = new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:1/v1', fetch, maxRetries: 5 })
    const chat: ChatClient = client
    const responses: ResponsesClient = client
    for (const model of [
      openaiChat({ model: 'm', client: chat }),
      openaiResponses({ model: 'm', client: responses }),
    ]) {
      requests = 0
      await expect(model.generate(modelCall())).rejects.toMatchObject({ status: 500, retryable: true })
      expect(requests).toBe(1)
    }
  })

  it('may be a stand-in that knows no responses', async () => {
    async function* chunks() {
      yield delta({ content: 'a' })
      yield finish('stop')
    }
    const create = async (body: object) => ('stream' in body ? chunks() : { choices: [{ message: { content: 'a' } }] })
    const model = openaiChat({ model: 'm', client: { chat: { completions: { create } } } })
    const { call, deltas } = listening()
    expect((await model.generate(call)).message.content).toBe('a')
    expect(deltas).toEqual([{ type: 'text', text: 'a' }])
    expect((await model.generate(modelCall())).message.content).toBe('a')
  })
})
