import { markAbort } from '../interrupt.js'
import { follow, openController } from './follow.js'

/**
 * A stretch of work that can be aborted: a run, a turn, a call. It keeps its own list of waiters, so that waiting for
 * one of a thousand promises costs no listener on anybody's signal; an AbortSignal is made when somebody asks for it.
 */
export class Scope {
  #controller: AbortController | undefined
  #waiters: Set<(reason: unknown) => void> | undefined
  #aborted = false
  #sealed = false
  #reason: unknown
  #leave: (() => void) | undefined

  constructor(parent?: Scope) {
    if (parent === undefined) return
    if (parent.aborted) {
      this.abort(parent.reason)
      return
    }
    const relay = (reason: unknown): void => this.abort(reason)
    parent.onAbort(relay)
    this.#leave = () => parent.offAbort(relay)
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = openController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    markAbort(reason)
    this.#controller?.abort(reason)
    const waiters = this.#waiters
    this.#waiters = undefined
    if (waiters) for (const waiter of waiters) waiter(reason)
  }

  /** Throws the reason if this scope is aborted. */
  check(): void {
    if (this.#aborted) throw this.#reason
  }

  onAbort(waiter: (reason: unknown) => void): void {
    this.#waiters ??= new Set()
    this.#waiters.add(waiter)
  }

  offAbort(waiter: (reason: unknown) => void): void {
    this.#waiters?.delete(waiter)
  }

  /** Follows a signal from outside until this scope is closed. */
  follow(signal: AbortSignal): void {
    if (signal.aborted) {
      this.abort(signal.reason)
      return
    }
    const before = this.#leave
    const leave = follow(signal, () => this.abort(signal.reason))
    this.#leave = () => {
      before?.()
      leave()
    }
  }

  /** Says that nobody can abort this scope, so that no wait needs to be ready for it. */
  seal(): void {
    this.#sealed = true
  }

  /** The promise, or a rejection with the reason as soon as this scope is aborted; what comes late is dropped. */
  race<T>(work: Promise<T>): Promise<T> {
    if (this.#sealed) return work
    if (this.#aborted) {
      work.catch(() => {})
      return Promise.reject(this.#reason)
    }
    return new Promise<T>((resolve, reject) => {
      this.onAbort(reject)
      work.then(
        (value) => {
          this.offAbort(reject)
          resolve(value)
        },
        (error) => {
          this.offAbort(reject)
          reject(error)
        },
      )
    })
  }

  /** Waits for work that unwinds by itself; once aborted, no longer than `graceMs` milliseconds. */
  unwind<T>(work: Promise<T>, graceMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const onAbort = (reason: unknown): void => {
        timer = setTimeout(() => reject(reason), graceMs)
      }
      const settle = (): void => {
        this.offAbort(onAbort)
        clearTimeout(timer)
      }
      this.onAbort(onAbort)
      work.then(
        (value) => {
          settle()
          resolve(value)
        },
        (error) => {
          settle()
          reject(error)
        },
      )
    })
  }

  /** Lets go of the parent and of every followed signal. */
  close(): void {
    this.#leave?.()
    this.#leave = undefined
  }
}

/** A scope that also follows a signal from outside; close it when the work is done. */
export function joined(parent: Scope, signal: AbortSignal): Scope {
  const scope = new Scope(parent)
  scope.follow(signal)
  return scope
}
