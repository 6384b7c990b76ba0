import { ConfigError } from '../errors.js'
import type { ModelProfile } from './model.js'

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>

/** A provider that speaks OpenAI's chat completions. */
export interface Provider {
  /** Undefined where it depends on the account. */
  readonly baseURL: string | undefined
  /** Variables that may hold the key, in the order in which they are asked. */
  readonly keys: readonly string[]
  /** What is sent as key where none is needed. */
  readonly noKey?: string
  readonly profile: ModelProfile
}

const OPENAI: ModelProfile = {
  dialect: 'openai',
  nativeStructuredOutput: true,
  callIds: 'portable',
  extras: 'drop',
  maxTokensField: 'max_completion_tokens',
}

/**
 * The providers that a model string may name. Base URLs, key variables and quirks are those of the providers' own
 * pages on their OpenAI-compatible endpoints.
 */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { baseURL: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'], profile: OPENAI },
  anthropic: {
    baseURL: 'https://api.anthropic.com/v1/',
    keys: ['ANTHROPIC_API_KEY'],
    profile: { dialect: 'anthropic', callIds: 'portable', extras: 'drop', maxTemperature: 1 },
  },
  google_genai: {
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai/',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    profile: {
      dialect: 'gemini',
      nativeStructuredOutput: true,
      // Gemini 3 refuses a call without a thought signature; this one stands for calls that another model made.
      firstCallExtra: { google: { thought_signature: 'skip_thought_signature_validator' } },
    },
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    keys: ['OPENROUTER_API_KEY'],
    profile: { dialect: 'portable' },
  },
  fireworks: {
    baseURL: 'https://api.fireworks.ai/inference/v1',
    keys: ['FIREWORKS_API_KEY'],
    profile: { dialect: 'portable', nativeStructuredOutput: true },
  },
  baseten: {
    baseURL: 'https://inference.baseten.co/v1',
    keys: ['BASETEN_API_KEY'],
    profile: { dialect: 'portable', nativeStructuredOutput: true },
  },
  ollama: {
    baseURL: 'http://localhost:11434/v1/',
    keys: ['OLLAMA_API_KEY'],
    noKey: 'ollama',
    profile: { dialect: 'portable', nativeStructuredOutput: true },
  },
  deepseek: {
    baseURL: 'https://api.deepseek.com',
    keys: ['DEEPSEEK_API_KEY'],
    profile: { dialect: 'portable', reasoningReplay: 'tool-turns', reasoningField: 'reasoning_content' },
  },
  groq: {
    baseURL: 'https://api.groq.com/openai/v1',
    keys: ['GROQ_API_KEY'],
    profile: { dialect: 'portable', messageNames: false, extras: 'drop' },
  },
  mistral: {
    baseURL: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
    profile: {
      dialect: 'portable',
      nativeStructuredOutput: true,
      callIds: 'alnum9',
      requiredWord: 'any',
      prefixLast: true,
      extras: 'drop',
    },
  },
  together: {
    baseURL: 'https://api.together.xyz/v1',
    keys: ['TOGETHER_API_KEY'],
    profile: { dialect: 'portable' },
  },
  xai: {
    baseURL: 'https://api.x.ai/v1',
    keys: ['XAI_API_KEY'],
    profile: { dialect: 'openai', nativeStructuredOutput: true, repeatsReasoning: true },
  },
  azure: { baseURL: undefined, keys: ['AZURE_OPENAI_API_KEY'], profile: OPENAI },
  vllm: {
    baseURL: 'http://localhost:8000/v1',
    keys: ['VLLM_API_KEY'],
    noKey: 'EMPTY',
    profile: { dialect: 'portable', nativeStructuredOutput: true },
  },
  lmstudio: {
    baseURL: 'http://localhost:1234/v1',
    keys: ['LM_API_TOKEN'],
    noKey: 'lm-studio',
    profile: { dialect: 'portable', nativeStructuredOutput: true },
  },
}

/** A provider's entry, own keys only. */
export const providerOf = (id: string): Provider | undefined =>
  Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined

/** The variables of this process; none where there is no process, as in a browser. */
export const processEnv = (): Env => globalThis.process?.env ?? {}

/** Where a provider is reached. */
export interface Endpoint {
  readonly baseURL: string
  readonly apiKey: string
}

/**
 * Where a provider is reached, from the environment. `OPENAI_BASE_URL` moves `openai`; `AZURE_OPENAI_ENDPOINT` is the
 * address of the resource of `azure`.
 *
 * @throws ConfigError if the key or the address is missing; it names the variable
 */
export function endpointOf(id: string, provider: Provider, env: Env, given: Partial<Endpoint> = {}): Endpoint {
  return {
    baseURL: given.baseURL ?? baseUrlOf(id, provider, env),
    apiKey: given.apiKey ?? keyOf(id, provider, env),
  }
}

function baseUrlOf(id: string, provider: Provider, env: Env): string {
  if (id === 'openai' && env.OPENAI_BASE_URL) return env.OPENAI_BASE_URL
  if (provider.baseURL !== undefined) return provider.baseURL
  const address = env.AZURE_OPENAI_ENDPOINT
  if (address) return `${address.replace(/\/+$/, '')}/openai/v1/`
  throw new ConfigError(
    `model provider "${id}": expected the address of the resource in AZURE_OPENAI_ENDPOINT, got none: ` +
      'set it to https://<resource>.openai.azure.com',
  )
}

function keyOf(id: string, provider: Provider, env: Env): string {
  for (const name of provider.keys) {
    const key = env[name]?.trim()
    if (key) return key
  }
  if (provider.noKey !== undefined) return provider.noKey
  const names = provider.keys.join(' or ')
  throw new ConfigError(
    `model provider "${id}": expected a key in ${names}, got none: set the variable, or pass a model with apiKey`,
  )
}

/** The profile of a provider at an address: whoever moves `openai` elsewhere talks to a server that may need its own fields back. */
export function profileOf(provider: Provider | undefined, baseURL: string): ModelProfile {
  if (provider === undefined) return {}
  if (provider.profile !== OPENAI || /\bopenai\.(?:com|azure\.com)\b|\.azure\.com\b/.test(baseURL))
    return provider.profile
  return { ...OPENAI, extras: 'keep' }
}
