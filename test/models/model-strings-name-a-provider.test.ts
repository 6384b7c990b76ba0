import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { endpointOf, PROVIDERS, providerOf } from '../../src/models/profiles.js'
import { modelFromString } from '../../src/models/providers.js'
import { startProvider } from '../fixtures/provider-server.js'
import { modelCall } from './call.js'

const KEYS = Object.fromEntries(Object.values(PROVIDERS).flatMap(({ keys }) => keys.map((key) => [key, 'k'])))
const ENV = { ...KEYS, AZURE_OPENAI_ENDPOINT: 'https://res.openai.azure.com/' }

const failure = (fn: () => unknown): Error => {
  try {
    fn()
  } catch (error) {
    return error as Error
  }
  return expect.unreachable()
}

describe('a model string', () => {
  it.each([
    ['openai:gpt-5.4', 'openai', 'gpt-5.4'],
    ['ollama:name:tag', 'ollama', 'name:tag'],
    ['fireworks:accounts/fireworks/models/x', 'fireworks', 'accounts/fireworks/models/x'],
    ['openrouter:anthropic/claude-x:free', 'openrouter', 'anthropic/claude-x:free'],
    ['gpt-5.4', 'openai', 'gpt-5.4'],
    ['o3-mini', 'openai', 'o3-mini'],
    ['claude-x', 'anthropic', 'claude-x'],
    ['gemini-x', 'google_genai', 'gemini-x'],
  ])('%s', (text, provider, id) => {
    expect(modelFromString(text, ENV)).toMatchObject({ provider, id })
  })

  it('names each of the fifteen providers', () => {
    expect(Object.keys(PROVIDERS)).toHaveLength(15)
    for (const id of Object.keys(PROVIDERS)) {
      const model = modelFromString(`${id}:m`, ENV)
      expect(model.provider).toBe(id)
      expect(endpointOf(id, providerOf(id)!, ENV).baseURL).toMatch(/^https?:\/\//)
    }
  })

  it.each(['llama3', 'llama3:8b', 'openai:', 'openai: ', ':x', '', 'orca', 'constructor:x', '__proto__:x'])(
    '%j is refused',
    (text) => {
      const error = failure(() => modelFromString(text, ENV))
      expect(error).toBeInstanceOf(ConfigError)
      expect(error.message).toContain('"provider:model"')
      expect(error.message).toContain('openai, anthropic, google_genai')
    },
  )

  it('without its key names the variable, at once', () => {
    for (const [id, { keys, noKey }] of Object.entries(PROVIDERS)) {
      const without = { AZURE_OPENAI_ENDPOINT: 'https://res.openai.azure.com' }
      if (noKey === undefined) expect(failure(() => modelFromString(`${id}:m`, without)).message).toContain(keys[0])
      else expect(modelFromString(`${id}:m`, without).provider).toBe(id)
    }
    expect(failure(() => modelFromString('openai:m', { OPENAI_API_KEY: '  ' })).message).toContain('OPENAI_API_KEY')
    expect(failure(() => modelFromString('azure:m', { AZURE_OPENAI_API_KEY: 'k' })).message).toContain(
      'AZURE_OPENAI_ENDPOINT',
    )
  })

  it('reaches the provider where the environment says', async () => {
    expect(endpointOf('azure', providerOf('azure')!, ENV)).toEqual({
      baseURL: 'https://res.openai.azure.com/openai/v1/',
      apiKey: 'k',
    })
    expect(endpointOf('google_genai', providerOf('google_genai')!, { GOOGLE_API_KEY: 'g' }).apiKey).toBe('g')
    const provider = await startProvider([
      { body: { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] } },
    ])
    try {
      const model = modelFromString('openai:gpt-x', { OPENAI_API_KEY: 'k1', OPENAI_BASE_URL: provider.url })
      const { message } = await model.generate(modelCall())
      expect(message.content).toBe('hi')
      expect(provider.requests[0]).toMatchObject({
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer k1' },
        body: { model: 'gpt-x' },
      })
    } finally {
      await provider.close()
    }
  })
})

describe('openaiChat', () => {
  it('says what is missing when it is made', () => {
    expect(failure(() => openaiChat({ model: '' })).message).toContain('expected the name of a model')
    expect(failure(() => openaiChat({ model: 'm', provider: 'groq' })).message).toContain('GROQ_API_KEY')
    expect(failure(() => openaiChat({ model: 'm', provider: 'nobody' })).message).toContain(
      'expected a known provider or a baseURL',
    )
    expect(openaiChat({ model: 'm', baseURL: 'http://127.0.0.1:1' })).toMatchObject({
      provider: 'openai-compatible',
      id: 'm',
      profile: {},
    })
    expect(
      openaiChat({ model: 'm', provider: 'groq', apiKey: 'k', profile: { extras: 'keep' } }).profile,
    ).toMatchObject({ extras: 'keep', messageNames: false })
  })
})
