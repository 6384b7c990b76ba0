import { ModelError } from '../errors.js'
import type { Origin } from './reply-failure.js'

/** The idle limit of a model call by default, in milliseconds. */
export const IDLE_TIMEOUT_MS = 300_000

/** The longest delay of a timer, in milliseconds (HTML, section 8.7: a signed 32-bit integer). */
const MAX_DELAY = 2_147_483_647

/**
 * Bounds the waits of one model call: each ends when the caller's signal fires, with its reason, or when nothing came
 * for `idleMs`, with a `ModelError` `MODEL_TIMEOUT`. Both also abort `signal`, which goes to the client, so that the
 * socket closes. Only waiting counts as silence: a slow reader of the deltas does not.
 */
export class Watch {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #idleMs: number
  readonly #origin: Origin
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitsSince: number | undefined
  #fail: ((reason: unknown) => void) | undefined
  #ended: { readonly reason: unknown } | undefined

  constructor(outer: AbortSignal, idleMs: number, origin: Origin) {
    this.#outer = outer
    this.#idleMs = Math.min(Math.max(0, idleMs), MAX_DELAY)
    this.#origin = origin
    outer.throwIfAborted()
    outer.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** For the client. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why the call ended early; `undefined` while it has not. */
  get ended(): { readonly reason: unknown } | undefined {
    return this.#ended
  }

  /**
   * Waits for a promise, at most as long as silence may last. One at a time. What the promise rejects with goes through
   * `toError`, unless the call was ended.
   */
  wait<T>(promise: PromiseLike<T>, toError: (error: unknown) => unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      promise.then(
        (value) => {
          this.#onSettled()
          resolve(value)
        },
        (error) => {
          this.#onSettled()
          reject(this.#ended ? this.#ended.reason : toError(error))
        },
      )
      if (this.#ended) return reject(this.#ended.reason)
      this.#fail = reject
      this.#waitsSince = performance.now()
      this.#timer ??= setTimeout(this.#onTimer, this.#idleMs)
    })
  }

  /** Ends the watch; also closes the connection, unless the reply came to its end. */
  dispose(complete: boolean): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#onAbort)
    if (!complete) this.#controller.abort()
  }

  #onSettled(): void {
    this.#waitsSince = undefined
    this.#fail = undefined
  }

  readonly #onAbort = (): void => this.#end(this.#outer.reason)

  // One timer for the whole call: a chunk only notes the time, as there are thousands of them.
  readonly #onTimer = (): void => {
    this.#timer = undefined
    if (this.#waitsSince === undefined) return
    const left = this.#waitsSince + this.#idleMs - performance.now()
    if (left > 0) {
      this.#timer = setTimeout(this.#onTimer, Math.ceil(left))
      return
    }
    const { provider, model } = this.#origin
    const message =
      `${provider} model "${model}": expected data within ${this.#idleMs} ms, got silence: ` +
      'call it again, or raise settings.idleTimeoutMs'
    this.#end(new ModelError(message, { code: 'MODEL_TIMEOUT', provider, retryable: true }))
  }

  #end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = { reason }
    this.#fail?.(reason)
    this.#controller.abort(reason)
  }
}
