import { isAgentError } from '../errors.js'
import type { Delta } from '../events.js'
import type { ModelCall, ModelResponse } from './model.js'
import { type ErrorPlace, toModelError } from './openai-errors.js'
import type { Reply } from './stream-reader.js'
import { IDLE_TIMEOUT_MS, Watch } from './watch.js'

/** A method of a client that sends one request: `chat.completions.create` or `responses.create`. */
export type Create = (body: object, options?: object) => PromiseLike<unknown>

/** One request under way. */
export interface OpenRequest {
  /** Waits for a promise of the client, within the idle limit; what it rejects with becomes a `ModelError`. */
  wait<T>(promise: PromiseLike<T>): Promise<T>
  /** Says that the reply has begun: what breaks from now on is a stream. */
  begin(): void
  /** For the second argument of the client's method. */
  readonly options: object
  /** Why the caller's signal or the idle limit ended the request. */
  readonly ended: { readonly reason: unknown } | undefined
  /** Releases timer and listener; closes the connection unless `complete`. */
  dispose(complete: boolean): void
}

/** Begins a request of a model call. Throws the reason of the call's signal, if that has fired. */
export function openRequest(
  call: ModelCall,
  place: Omit<ErrorPlace, 'begun'>,
  headers: Readonly<Record<string, string>> | undefined,
): OpenRequest {
  const idleMs = call.settings.idleTimeoutMs ?? IDLE_TIMEOUT_MS
  const watch = new Watch(call.signal, idleMs, place)
  let begun = false
  const toError = (error: unknown): unknown => (isAgentError(error) ? error : toModelError(error, { ...place, begun }))
  return {
    wait: (promise) => watch.wait(promise, toError),
    begin() {
      begun = true
    },
    options: {
      signal: watch.signal,
      maxRetries: 0,
      // The client's own limit ends with the headers; ours comes first.
      timeout: Math.min(Math.ceil(Math.max(idleMs, 0)) + 1000, 2_147_483_647),
      headers: { ...headers, ...call.settings.headers },
    },
    get ended() {
      return watch.ended
    },
    dispose: (complete) => watch.dispose(complete),
  }
}

/** What a client's method gave: its data, and the response where the client is a real one. */
export interface Answer {
  readonly data: unknown
  readonly response: Response | undefined
}

/** Waits for the head of a streamed answer. */
export async function answerOf(promise: PromiseLike<unknown>, request: OpenRequest): Promise<Answer> {
  if (hasResponse(promise)) return request.wait(promise.withResponse())
  return { data: await request.wait(promise), response: undefined }
}

const hasResponse = (value: object): value is { withResponse(): Promise<{ data: unknown; response: Response }> } =>
  'withResponse' in value && typeof value.withResponse === 'function'

/** Whether a response says that it is JSON, not a stream of events. */
export const isJson = (response: Response): boolean => /\bjson\b/.test(response.headers.get('content-type') ?? '')

export const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** Hands each chunk of a stream to `read`, one after the other, until the stream or the request ends. */
export async function forEachChunk(
  stream: AsyncIterable<unknown>,
  request: OpenRequest,
  read: (chunk: unknown) => Promise<void> | void,
): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await request.wait(chunks.next())
      if (done) break
      const busy = read(value)
      if (busy) await busy
    }
  } catch (error) {
    // The client's generator may still wait for a chunk: its end cannot be waited for.
    chunks.return?.()?.then(undefined, () => {})
    throw error
  }
  // The client ends its stream without an error when it is aborted.
  if (request.ended) throw request.ended.reason
}

/** Emits deltas in order; gives a promise only if the listener's buffer is full. */
export function show(deltas: readonly Delta[], call: ModelCall, from = 0): void | Promise<void> {
  for (let index = from; index < deltas.length; index += 1) {
    const full = call.emit(deltas[index]!)
    if (full) return full.then(() => show(deltas, call, index + 1))
  }
}

/** What a model gives of a reply. */
export const responseOf = ({ message, finishReason, usage }: Reply): ModelResponse =>
  usage === undefined ? { message, finishReason } : { message, finishReason, usage }
