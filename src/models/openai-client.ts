import type { ClientOptions, OpenAI } from 'openai'
import { ConfigError, got } from '../errors.js'
import { ANYTHING, check, isFunction, isRecord, NAME, OBJECT, type Rules, TEXT } from '../internal/check.js'
import type { ModelCall, ModelProfile } from './model.js'
import { type OpenRequest, openRequest } from './openai-request.js'
import { endpointOf, PROVIDERS, processEnv, profileOf, providerOf } from './profiles.js'

/** Options that both adapters over the `openai` package have. `Client` is the part of a client that is called. */
export interface OpenaiOptions<Client> {
  /** The name of the model, as the provider spells it. */
  readonly model: string
  /** A client that exists already, e.g. an instrumented one. It is always called with `maxRetries: 0`. */
  readonly client?: Client
  /** By default what the provider's variable holds. */
  readonly apiKey?: string
  /** By default the provider's. */
  readonly baseURL?: string
  /**
   * One of the ids of a model string, which sets address, key variable and profile; any other text is only a label.
   * @default 'openai', and 'openai-compatible' with a `client` or a `baseURL`
   */
  readonly provider?: string
  /** What is different about the model; laid over the provider's profile, field by field. */
  readonly profile?: ModelProfile
  /** Sent with each request; `settings.headers` of a call win. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** How an adapter reaches its provider. */
export interface Connection<Client> {
  readonly provider: string
  readonly profile: ModelProfile
  /** The client, made on first use. */
  client(): Promise<Client>
  /** @throws the reason of the signal, if that has fired */
  open(call: ModelCall): OpenRequest
}

/** What is special about an adapter. */
export interface Adapter {
  /** How errors name it, e.g. `openaiChat()`. */
  readonly subject: string
  /** The way from a client to the function that is called. */
  readonly path: readonly string[]
  /** Options that are the adapter's own. */
  readonly rules?: Rules
}

const RULES: Rules = {
  model: ANYTHING,
  apiKey: TEXT,
  // What is not http is a slip, such as `localhost:8000`, whose scheme would be `localhost`.
  baseURL: [
    (value) => typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value),
    "a URL such as 'http://localhost:8000/v1'",
  ],
  provider: NAME,
  profile: OBJECT,
  headers: [
    (value) => isRecord(value) && Object.values(value).every((text) => typeof text === 'string'),
    'an object of strings',
  ],
  fetch: [isFunction, 'a function'],
}

const holds = (client: unknown, path: readonly string[]): boolean =>
  isFunction(path.reduce((value: unknown, key) => (value as Record<string, unknown> | null | undefined)?.[key], client))

/**
 * Checks the options of an adapter and gives it its connection. Nothing is loaded before the first `client()`.
 *
 * @throws ConfigError for an option that is unknown or not what it must be, if the model's name is missing, or a key is
 * needed and none is there
 */
export function connect<Client>(
  options: OpenaiOptions<Client>,
  { subject, path, rules }: Adapter,
  clientOf: (openai: OpenAI) => Client,
): Connection<Client> {
  const client: Rules[string] = [(value) => holds(value, path), `a client with ${path.join('.')}()`]
  check(options, { ...RULES, ...rules, client }, subject)
  if (typeof options.model !== 'string' || options.model === '') {
    throw new ConfigError(`model: expected the name of a model, got ${got(options.model)}: pass { model: 'gpt-5.4' }`)
  }
  const isElsewhere = options.client !== undefined || options.baseURL !== undefined
  const provider = options.provider ?? (isElsewhere ? 'openai-compatible' : 'openai')
  const known = providerOf(provider)
  const endpoint = options.client ? undefined : addressOf(provider, options)
  const profile = { ...profileOf(known, endpoint?.baseURL ?? ''), ...options.profile }
  const secrets = endpoint ? [endpoint.apiKey] : []
  let made: Promise<Client> | undefined = options.client && Promise.resolve(options.client)

  return {
    provider,
    profile,
    client() {
      made ??= makeClient(provider, endpoint!, options.fetch).then(clientOf, (error) => {
        made = undefined
        throw error
      })
      return made
    },
    open: (call) => openRequest(call, { provider, model: options.model, secrets }, options.headers),
  }
}

function addressOf(
  provider: string,
  options: Pick<OpenaiOptions<unknown>, 'apiKey' | 'baseURL'>,
): { baseURL: string; apiKey: string } {
  const known = providerOf(provider)
  if (known) {
    const given: { baseURL?: string; apiKey?: string } = {}
    if (options.baseURL !== undefined) given.baseURL = options.baseURL
    if (options.apiKey !== undefined) given.apiKey = options.apiKey
    return endpointOf(provider, known, processEnv(), given)
  }
  if (options.baseURL === undefined) {
    throw new ConfigError(
      `model provider ${got(provider)}: expected a known provider or a baseURL, got neither: ` +
        `pass baseURL, or name one of ${Object.keys(PROVIDERS).join(', ')}`,
    )
  }
  return { baseURL: options.baseURL, apiKey: options.apiKey ?? 'none' }
}

async function makeClient(
  provider: string,
  endpoint: { baseURL: string; apiKey: string },
  fetch: typeof globalThis.fetch | undefined,
): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  // One layer owns retries. The client's log would print what it cannot parse; the error says that already.
  const options: ClientOptions = { ...endpoint, maxRetries: 0, logLevel: 'off' }
  if (fetch) options.fetch = fetch
  // The client reads these from OPENAI_ORG_ID and OPENAI_PROJECT_ID, which are nobody else's business.
  if (provider !== 'openai') Object.assign(options, { organization: null, project: null })
  return new OpenAI(options)
}
