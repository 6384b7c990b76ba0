import { ModelError } from '../errors.js'
import { isFields } from './reply-facts.js'
import { incomplete, mayPass, misshapen, type Origin } from './reply-failure.js'

/** What an error is turned into text with. */
export interface ErrorPlace extends Origin {
  /** Whether the reply had begun: what breaks then is a stream, not a request. */
  readonly begun: boolean
  /** Values that must not be in a message. */
  readonly secrets: readonly string[]
}

/**
 * An error of the `openai` package, of `fetch` or of a decoder as a {@link ModelError}, with the original as `cause`.
 * Recognised by shape, as the client may come from another copy of the package. `retryable` is what `x-should-retry`
 * says, else true for 408, 409, 429, statuses from 500 on, and failed or timed out connections; never for
 * `insufficient_quota`.
 */
export function toModelError(error: unknown, place: ErrorPlace): ModelError {
  hideIn(error, place)
  const { provider, model } = place
  if (!isFields(error))
    return new ModelError(`${provider} model "${model}" failed: ${scrub(String(error), place)}`, {
      provider,
      cause: error,
    })
  const headers = headersOf(error.headers)
  const requestId = textIn(error.requestID) ?? headers?.get('x-request-id') ?? undefined
  const text = scrub(textIn(error.message) ?? String(error), place)
  const status = typeof error.status === 'number' ? error.status : undefined
  const known = { provider, cause: error, ...(requestId === undefined ? {} : { requestId }) }

  if (status !== undefined) {
    const retryAfterMs = retryAfter(headers)
    return new ModelError(
      `${provider} model "${model}" answered ${text.startsWith(`${status}`) ? text : `${status} ${text}`}`,
      {
        ...known,
        status,
        retryable: isRetryable(status, error, headers),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    )
  }
  if (isFields(error.error)) {
    return new ModelError(`${provider} model "${model}": expected a reply, got an error inside it: ${text}`, {
      ...known,
      code: 'STREAM_INCOMPLETE',
      retryable: mayPass(error.error),
    })
  }
  if (place.begun || error instanceof SyntaxError)
    return incomplete(`a broken stream (${text})`, place, { cause: error })
  // The client trips over values that are no objects; a TypeError of the network has a cause, or says so.
  if (error instanceof TypeError && error.cause === undefined && !/network|terminated|fetch|load failed/i.test(text)) {
    return misshapen('a reply in the shape of the protocol', error, place)
  }
  if (/timed? ?out/i.test(text)) {
    const message = `${provider} model "${model}": expected an answer in time, got none: ${text}`
    return new ModelError(message, { ...known, code: 'MODEL_TIMEOUT', retryable: true })
  }
  // The client has no status only where there was no answer; a programming error is none of its classes.
  const isConnection = 'headers' in error || error instanceof TypeError
  return new ModelError(`${provider} model "${model}" could not be reached: ${text}${causeOf(error)}`, {
    ...known,
    retryable: isConnection,
  })
}

function isRetryable(
  status: number,
  error: { readonly [key: string]: unknown },
  headers: HeadersLike | undefined,
): boolean {
  if (error.code === 'insufficient_quota' || error.type === 'insufficient_quota') return false
  const said = headers?.get('x-should-retry')
  if (said === 'true') return true
  if (said === 'false') return false
  return status === 408 || status === 409 || status === 429 || status >= 500
}

/** The hint of `retry-after-ms`, else of `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3). */
export function retryAfter(headers: HeadersLike | undefined): number | undefined {
  const ms = number(headers?.get('retry-after-ms'))
  if (ms !== undefined) return ms
  const text = headers?.get('retry-after')
  const seconds = number(text)
  if (seconds !== undefined) return seconds * 1000
  // A negative or otherwise bad number is no date, though `Date.parse` finds one in it.
  const date = text && !/^\s*[-+\d]/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

function number(text: string | null | undefined): number | undefined {
  if (!text) return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Headers of `fetch`, also of a polyfill. */
export type HeadersLike = Pick<Headers, 'get'>

const isHeaders = (value: unknown): value is HeadersLike => isFields(value) && typeof value.get === 'function'

const headersOf = (value: unknown): HeadersLike | undefined => (isHeaders(value) ? value : undefined)

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Why a connection failed stands one level below: `fetch failed`, cause `ECONNREFUSED`. */
function causeOf(error: { readonly cause?: unknown }): string {
  for (let cause = error.cause, depth = 0; isFields(cause) && depth < 4; cause = cause.cause, depth += 1) {
    if (typeof cause.code === 'string') return ` (${cause.code})`
  }
  return ''
}

/** What looks like a key: providers repeat a wrong one in their answer. */
const KEY = /\b(?:sk|pk|gsk|xai|fw|hf|r8|nvapi|AIza)[-_]?[A-Za-z0-9_-]{16,}/g

function scrub(text: string, place: ErrorPlace): string {
  let clean = text
  for (const secret of place.secrets) if (secret.length > 7) clean = clean.replaceAll(secret, '[redacted]')
  return clean.replace(KEY, '[redacted]')
}

/** Takes secrets out of an error that becomes a cause, and of its own causes: whoever logs one logs them all. */
function hideIn(error: unknown, place: ErrorPlace, depth = 0): void {
  if (!isFields(error) || depth > 5) return
  for (const key of ['message', 'stack'] as const) {
    const text = error[key]
    if (typeof text === 'string' && scrub(text, place) !== text) {
      Object.defineProperty(error, key, { value: scrub(text, place), configurable: true, writable: true })
    }
  }
  hideIn(error.error, place, depth + 1)
  hideIn(error.cause, place, depth + 1)
}
