import { got, ModelError } from '../errors.js'
import { isFields } from './reply-facts.js'

/** Codes and types of errors that another attempt does not change. */
const FINAL =
  /insufficient_quota|invalid_|authentication|permission|not_found|context_length|content_policy|content_filter|billing/i
const FINAL_STATUS: ReadonlySet<unknown> = new Set([400, 401, 402, 403, 404, 413, 422])

/** Whether an error object that came inside a reply may be gone at another attempt. */
export function mayPass(error: unknown): boolean {
  if (!isFields(error)) return true
  const { code, type, status } = error
  if (FINAL_STATUS.has(code) || FINAL_STATUS.has(status) || FINAL_STATUS.has(Number(code))) return false
  return !FINAL.test(`${typeof code === 'string' ? code : ''} ${typeof type === 'string' ? type : ''}`)
}

/** The text of an error object. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (isFields(error) && typeof error.message === 'string') return error.message
  return JSON.stringify(error) ?? String(error)
}

/** Which model a reply is of. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** The failure of a reply that broke off, or that holds an error: nothing of it may be used. */
export function incomplete(
  what: string,
  { provider, model }: Origin,
  options: { cause?: unknown; retryable?: boolean } = {},
): ModelError {
  const message = `${provider} model "${model}": expected a complete reply, got ${what}: nothing of it is used; call it again`
  return new ModelError(message, {
    code: 'STREAM_INCOMPLETE',
    provider,
    retryable: options.retryable ?? true,
    ...('cause' in options ? { cause: options.cause } : {}),
  })
}

/** The failure of a reply that is complete but not what the protocol promises. */
export const misshapen = (expected: string, value: unknown, { provider, model }: Origin): ModelError =>
  new ModelError(`${provider} model "${model}": expected ${expected}, got ${got(value)}: check its baseURL`, {
    code: 'MODEL_RESPONSE',
    provider,
    ...(value instanceof Error ? { cause: value } : {}),
  })

/** The value of a JSON text; the text itself if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
