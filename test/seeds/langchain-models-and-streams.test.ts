import { type AgentEvent, type AnyTool, ConfigError, createAgent, providerTool, tool } from 'cepa'
import { modelFromString } from 'cepa/models/providers'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { endpointOf, PROVIDERS, providerOf } from '../../src/models/profiles.js'
import { readAll } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

const named = (name: string) => tool(() => `ran ${name}`, { name, description: `Does ${name}.` })

test('L50: a toolkit is an array, and a name taken twice names both owners', () => {
  const kit: readonly AnyTool[] = [named('read'), named('write')]
  const model = scriptedModel([])
  expect(createAgent({ model, tools: [...kit, named('mine')] }).name).toBe('agent')
  const twice = () =>
    createAgent({
      model,
      tools: [...kit],
      middleware: [{ name: 'shell', tools: [named('write')] } as { name: string }],
    })
  expect(twice).toThrow(ConfigError)
  expect(twice).toThrow(/"write".*the agent.*middleware "shell"/)
})

test("L51: a provider's own tool is passed through as it is, and never run here", async () => {
  const search = providerTool({ type: 'web_search', search_context_size: 'low' })
  const answer = { content: 'Found.', annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.org' } }] }
  const { bodies, result } = await overTheWire([answer], { tools: [search, named('mine')] })
  expect(bodies).toHaveLength(1)
  expect(bodies[0]?.tools).toMatchObject([
    { type: 'web_search', search_context_size: 'low' },
    { type: 'function', function: { name: 'mine' } },
  ])
  expect(result.messages.at(-1)).toMatchObject(answer)
  const named2 = await overTheWire([{ content: null, tool_calls: [wireCall('c1', 'web_search')] }, { content: 'ok' }], {
    tools: [search],
  })
  expect(named2.result.messages[2]).toMatchObject({ role: 'tool', status: 'error' })
})

const KEYS = Object.fromEntries(Object.values(PROVIDERS).flatMap(({ keys }) => keys.map((key) => [key, 'k'])))

test.each([
  ['google_genai:gemini-2.5-flash-lite', 'google_genai', 'gemini-2.5-flash-lite', 'generativelanguage.googleapis.com'],
  ['openai:gpt-5.4', 'openai', 'gpt-5.4', 'api.openai.com'],
  ['anthropic:claude-sonnet-4-6', 'anthropic', 'claude-sonnet-4-6', 'api.anthropic.com'],
  ['openrouter:anthropic/claude-sonnet-4-6', 'openrouter', 'anthropic/claude-sonnet-4-6', 'openrouter.ai'],
  [
    'fireworks:accounts/fireworks/models/qwen3p5-397b',
    'fireworks',
    'accounts/fireworks/models/qwen3p5-397b',
    'api.fireworks.ai',
  ],
  ['baseten:zai-org/GLM-5', 'baseten', 'zai-org/GLM-5', 'inference.baseten.co'],
  ['ollama:devstral-2:24b', 'ollama', 'devstral-2:24b', 'localhost'],
  ['gpt-4o', 'openai', 'gpt-4o', 'api.openai.com'],
  ['o3-mini', 'openai', 'o3-mini', 'api.openai.com'],
  ['claude-sonnet-4-6', 'anthropic', 'claude-sonnet-4-6', 'api.anthropic.com'],
  ['gemini-2.5-pro', 'google_genai', 'gemini-2.5-pro', 'generativelanguage.googleapis.com'],
])('L52: %s', (text, provider, id, host) => {
  expect(modelFromString(text, KEYS)).toMatchObject({ provider, id })
  const known = providerOf(provider)
  expect(known && new URL(endpointOf(provider, known, KEYS).baseURL ?? 'https://api.openai.com').hostname).toBe(host)
})

test('L52: a bare name that says nothing is refused when built, an unknown provider by the first run', async () => {
  expect(() => createAgent({ model: 'foo' })).toThrow(ConfigError)
  expect(() => createAgent({ model: 'foo' })).toThrow(/"provider:model"/)
  await expect(createAgent({ model: 'nobody:gpt' }).invoke('hi')).rejects.toThrow(/"provider:model".*openai/)
})

test('L53: the system prompt is one leading message on the wire, and none of the history', async () => {
  const { bodies, result } = await overTheWire([{ content: 'ok' }], { systemPrompt: 'You are kind.' })
  expect(bodies[0]?.messages).toEqual([
    { role: 'system', content: 'You are kind.' },
    { role: 'user', content: 'hi' },
  ])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('L55: the events of a run, in order', async () => {
  const weather = tool(
    (_args, { writer }) => {
      writer('looking')
      return 'rain'
    },
    { name: 'weather', description: 'Tells the weather.' },
  )
  const model = scriptedModel([
    { toolCalls: [toolCall('weather')], usage: { input: 3, output: 2 } },
    { deltas: ['It ', 'rains.'], usage: { input: 9, output: 2 } },
  ])
  const { events, result } = await readAll(createAgent({ model, tools: [weather] }).stream('Oslo?'))
  const brief = (event: AgentEvent): string => {
    if (event.type === 'delta') return `delta ${event.delta.type}`
    return event.type === 'message' ? `message ${event.message.role}` : event.type
  }
  expect(events.map(brief)).toEqual([
    'run-start',
    'message user',
    'turn-start',
    'model-start',
    'delta tool-args',
    'model-end',
    'message assistant',
    'tool-start',
    'custom',
    'tool-result',
    'message tool',
    'turn-end',
    'turn-start',
    'model-start',
    'delta text',
    'delta text',
    'model-end',
    'message assistant',
    'turn-end',
    'run-end',
  ])
  expect(events.at(-1)).toMatchObject({ stopReason: 'stop', usage: { requests: 2, input: 12, output: 4 } })
  for (const event of events) expect(event).toMatchObject({ runId: result.runId, turn: expect.any(Number), path: [] })
})
