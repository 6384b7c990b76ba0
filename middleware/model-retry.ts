import {
  ConfigError,
  createMiddleware,
  isAgentError,
  isControl,
  type Middleware,
  type ModelRequest,
  type ModelResponse,
  reply,
} from 'cepa'
import pRetry from 'p-retry'

/** Options of {@link modelRetry}. */
export interface ModelRetryOptions {
  /** Attempts after the first one; a whole number from 0. @default 2 */
  maxRetries?: number
  /** Wait before the first retry, in milliseconds. @default 500 */
  minDelayMs?: number
  /** The longest wait that is not the provider's own hint, in milliseconds. @default 8000 */
  maxDelayMs?: number
  /** What each wait is longer than the one before by, as a factor from 1. @default 2 */
  factor?: number
  /** By how much a wait is shortened at most, at random, as a share from 0 to 1. @default 0.25 */
  jitter?: number
  /**
   * Which errors are worth another attempt. By default those of Cepa that say `retryable: true`. Never asked about
   * control flow and programming errors.
   */
  retryOn?: (error: unknown) => boolean
  /**
   * Answers in place of the error when no retry is left, or the provider asks for too long a wait: a text or a
   * response. Never asked about an error that was not worth a retry.
   * @default the error is thrown
   */
  onExhausted?: (error: unknown, request: ModelRequest) => string | ModelResponse | Promise<string | ModelResponse>
}

/** A provider's hint that is longer fails at once, with the hint in `error.retryAfterMs`. */
const MAX_HINT_MS = 60_000

/**
 * Calls the model again after a failure that may pass. A hint of the provider (`retryAfterMs`) is waited for, up to 60 s;
 * otherwise waits grow and have jitter. Errors reach the caller as the same object. An abort ends a wait at once. What a
 * failed attempt showed of its reply is voided by a reset. Retries multiply with those of other layers and of a client
 * of your own; inside a `model-fallback`, each model gets its attempts.
 *
 * @example
 * const agent = createAgent({ model: 'openai:gpt-5.4', middleware: [modelRetry({ maxRetries: 3 })] })
 * @throws ConfigError for an option that is unknown or out of range
 */
export function modelRetry(options: ModelRetryOptions = {}): Middleware {
  const rules = checkOptions(options)
  const { onExhausted } = options
  return createMiddleware({
    name: 'model-retry',
    after: 'model-fallback',
    wrapModelCall: async function modelRetry(request, handler) {
      const { signal } = request
      let shown = false
      const watched = request.streaming
        ? request.override({
            emit: (delta) => {
              shown = delta.type !== 'reset'
              return request.emit(delta)
            },
          })
        : request
      const attempt = async (): Promise<Settled> => {
        try {
          return { response: await handler(watched) }
        } catch (error) {
          // p-retry knows nothing of control flow, and keeps the identity of errors only.
          if (isControl(error) || !(error instanceof Error)) return { thrown: error }
          throw error
        }
      }
      let passing: unknown
      try {
        const settled = await pRetry(attempt, {
          // All that p-retry does not ask about here are the TypeErrors of programming.
          retries: Number.POSITIVE_INFINITY,
          minTimeout: 0,
          signal,
          shouldRetry: async ({ error, retriesConsumed }) => {
            if (isSlip(error) || !rules.retryOn(error)) return false
            passing = error
            const hintMs = hintOf(error)
            if (retriesConsumed >= rules.maxRetries || (hintMs !== undefined && hintMs > MAX_HINT_MS)) return false
            if (shown) await request.emit({ type: 'reset' })
            shown = false
            const isOld = (error as { replayed?: unknown }).replayed === true
            if (!isOld) await pause(hintMs ?? backOff(retriesConsumed, rules), signal)
            return true
          },
        })
        if ('thrown' in settled) throw settled.thrown
        return settled.response
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (onExhausted === undefined || error !== passing) throw error
        const answer = await onExhausted(error, request)
        return typeof answer === 'string' ? reply(answer) : answer
      }
    },
  })
}

type Settled = { readonly response: ModelResponse } | { readonly thrown: unknown }

type Rules = Required<Omit<ModelRetryOptions, 'onExhausted'>>

const isRetryable = (error: unknown): boolean => isAgentError(error) && error.retryable

/** No waiting mends a wrong name or wrong options. */
const isSlip = (error: unknown): boolean =>
  error instanceof ReferenceError || (isAgentError(error) && error.code === 'CONFIG')

function hintOf(error: unknown): number | undefined {
  const { retryAfterMs } = error as { retryAfterMs?: unknown }
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined
}

const backOff = (retriesDone: number, { minDelayMs, maxDelayMs, factor, jitter }: Rules): number =>
  Math.min(minDelayMs * factor ** retriesDone, maxDelayMs) * (1 - jitter * Math.random())

/** Waits; rejects with the signal's reason as soon as that fires, also if it has fired already. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}

const NUMBERS = {
  maxRetries: [(value: number) => value >= 0 && Number.isInteger(value), 'a whole number from 0'],
  minDelayMs: [(value: number) => value >= 0 && Number.isFinite(value), 'milliseconds from 0'],
  maxDelayMs: [(value: number) => value >= 0 && Number.isFinite(value), 'milliseconds from 0'],
  factor: [(value: number) => value >= 1 && Number.isFinite(value), 'a number from 1'],
  jitter: [(value: number) => value >= 0 && value <= 1, 'a share from 0 to 1'],
} as const
const FUNCTIONS: readonly string[] = ['retryOn', 'onExhausted']

function checkOptions(options: ModelRetryOptions): Rules {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError(`modelRetry(): expected an object of options, got ${String(options)}`)
  }
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(NUMBERS, key) ? NUMBERS[key as keyof typeof NUMBERS] : undefined
    const known = rule !== undefined || FUNCTIONS.includes(key)
    if (!known) {
      const names = [...Object.keys(NUMBERS), ...FUNCTIONS].join(', ')
      throw new ConfigError(`modelRetry(): unknown option "${key}"; expected one of ${names}`)
    }
    const fits = rule ? typeof value === 'number' && rule[0](value) : typeof value === 'function'
    if (value !== undefined && !fits) {
      const expected = rule ? rule[1] : 'a function'
      throw new ConfigError(`modelRetry(): expected ${key} to be ${expected}, got ${shown(value)}`)
    }
  }
  const { maxRetries = 2, minDelayMs = 500, factor = 2, jitter = 0.25, retryOn = isRetryable } = options
  const maxDelayMs = options.maxDelayMs ?? Math.max(8000, minDelayMs)
  if (maxDelayMs < minDelayMs) {
    throw new ConfigError(
      `modelRetry(): expected maxDelayMs to be at least minDelayMs (${minDelayMs}), got ${maxDelayMs}`,
    )
  }
  return { maxRetries, minDelayMs, maxDelayMs, factor, jitter, retryOn }
}

const shown = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value)
