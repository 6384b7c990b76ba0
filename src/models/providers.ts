import { ConfigError, got } from '../errors.js'
import type { Model, ModelCall, ModelResponse } from './model.js'
import { type Env, endpointOf, PROVIDERS, processEnv, profileOf, providerOf } from './profiles.js'

/** Model names that say by themselves whose they are. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|o\d)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google_genai'],
]

/**
 * The model that a string names: `provider:model`, split at the first colon, so that the model's own name may hold
 * colons and slashes (`ollama:name:tag`, `openrouter:vendor/name`). Names that begin with `gpt-`, `o` and a digit,
 * `claude-` or `gemini-` need no provider. All checks happen at once; the `openai` package is loaded by the first call.
 *
 * @throws ConfigError for an unknown provider, a missing model name, or a missing key; it says what to set
 * @example
 * const model = modelFromString('openai:gpt-5.4')
 */
export function modelFromString(text: string, env: Env = processEnv()): Model {
  const [id, name] = split(text)
  const provider = PROVIDERS[id]!
  const endpoint = endpointOf(id, provider, env)
  const profile = profileOf(provider, endpoint.baseURL)
  let loaded: Promise<Model> | undefined
  const load = async (): Promise<Model> => {
    const { openaiChat } = await import('./openai-chat.js')
    return openaiChat({ ...endpoint, model: name, provider: id, profile })
  }
  return {
    provider: id,
    id: name,
    profile,
    async generate(call: ModelCall): Promise<ModelResponse> {
      loaded ??= load()
      return (await loaded).generate(call)
    },
  }
}

function split(text: string): readonly [provider: string, model: string] {
  if (typeof text !== 'string') throw misfit(got(text))
  const colon = text.indexOf(':')
  const id = colon < 0 ? BARE.find(([pattern]) => pattern.test(text))?.[1] : text.slice(0, colon)
  const name = text.slice(colon + 1)
  if (id === undefined || providerOf(id) === undefined || name.trim() === '') throw misfit(got(text))
  return [id, name]
}

const misfit = (what: string): ConfigError =>
  new ConfigError(
    `model: expected "provider:model", as in "openai:gpt-5.4", got ${what}: name one of ${Object.keys(PROVIDERS).join(', ')}`,
  )
