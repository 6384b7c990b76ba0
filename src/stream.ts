import { ConfigError } from './errors.js'
import type { AgentEvent } from './events.js'
import type { Kind, OutputKind } from './kind.js'
import type { RunResult } from './requests.js'

/**
 * A run that streams. It has one reader: iterate the stream for events, or `.text` for text alone. Leaving the loop
 * aborts the run. `.result` resolves without a reader, too.
 */
export interface AgentStream<K extends Kind = Kind, Output extends OutputKind = OutputKind>
  extends AsyncIterable<AgentEvent> {
  readonly runId: string
  readonly threadId: string | null
  /** Pieces of text only, of the attempt that is shown; a view of the same single reader. */
  readonly text: AsyncIterable<string>
  /** The result; rejects with what the run rejects with, and is never an unhandled rejection. */
  readonly result: Promise<RunResult<K, Output>>
  /** Ends the run with `stopReason: 'aborted'` and what there is so far. */
  abort(reason?: unknown): void
}

/** Events kept for a reader before `emit` asks its caller to wait. */
const HIGH_WATER = 256
/** Events kept while nobody reads; beyond it the oldest are dropped. */
const UNREAD = 10_000

type Pull = { resolve: (result: IteratorResult<AgentEvent, undefined>) => void; reject: (error: unknown) => void }

const DONE: IteratorResult<AgentEvent, undefined> = Object.freeze({ done: true, value: undefined })

/** The events of one run, between the engine that emits and the one reader. */
export class EventQueue {
  #events: AgentEvent[] = []
  #first = 0
  #dropped = 0
  #pulls: Pull[] = []
  #room: { promise: Promise<void>; resolve: () => void } | undefined
  #attached = false
  #ended = false
  #failed: { error: unknown } | undefined

  /** Hands an event on. A promise only when the reader is behind: await it. */
  emit(event: AgentEvent): void | Promise<void> {
    if (this.#ended) return undefined
    const pull = this.#pulls.shift()
    if (pull !== undefined) {
      pull.resolve({ done: false, value: event })
      return undefined
    }
    this.#events.push(event)
    const waiting = this.#events.length - this.#first
    if (waiting <= HIGH_WATER) return undefined
    if (!this.#attached) {
      if (waiting > UNREAD) this.#drop()
      return undefined
    }
    this.#room ??= openGate()
    return this.#room.promise
  }

  /** No more events: the reader ends, or gets the error after what is left. */
  end(failed?: { error: unknown }): void {
    if (this.#ended) return
    this.#ended = true
    this.#failed = failed
    this.#release()
    for (const pull of this.#pulls.splice(0)) this.#finish(pull)
  }

  /** The one reader. @throws ConfigError for a second one. */
  read(onLeave: () => void): AsyncIterator<AgentEvent, undefined> {
    if (this.#attached) throw new ConfigError('a stream has one reader: iterate it, or its .text, once')
    this.#attached = true
    return {
      next: () => this.#next(),
      return: () => {
        this.#leave(onLeave)
        return Promise.resolve(DONE)
      },
    }
  }

  #next(): Promise<IteratorResult<AgentEvent, undefined>> {
    if (this.#first < this.#events.length) {
      const event = this.#events[this.#first] as AgentEvent
      this.#first++
      if (this.#first === this.#events.length) {
        this.#events = []
        this.#first = 0
        this.#release()
      } else if (this.#first >= 1024) {
        this.#events = this.#events.slice(this.#first)
        this.#first = 0
      }
      return Promise.resolve({ done: false, value: event })
    }
    return new Promise((resolve, reject) => {
      const pull = { resolve, reject }
      if (this.#ended) this.#finish(pull)
      else this.#pulls.push(pull)
    })
  }

  #finish(pull: Pull): void {
    const failed = this.#failed
    this.#failed = undefined
    if (failed) pull.reject(failed.error)
    else pull.resolve(DONE)
  }

  #leave(onLeave: () => void): void {
    const over = this.#ended
    this.#ended = true
    this.#failed = undefined
    this.#events = []
    this.#first = 0
    this.#release()
    for (const pull of this.#pulls.splice(0)) pull.resolve(DONE)
    if (!over) onLeave()
  }

  #release(): void {
    this.#room?.resolve()
    this.#room = undefined
  }

  #drop(): void {
    const count = UNREAD / 2
    const oldest = this.#events[this.#first] as AgentEvent
    // The notice takes the place of one event more; later on, of the notice before it.
    this.#dropped += this.#dropped === 0 ? count + 1 : count
    this.#events = this.#events.slice(this.#first + count)
    this.#first = 0
    const { runId, turn, path } = oldest
    this.#events[0] = { runId, turn, path, type: 'notice', code: 'events_dropped', detail: { dropped: this.#dropped } }
  }
}

function openGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** The text view of a reader. */
export function textOnly(events: AsyncIterable<AgentEvent>): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = events[Symbol.asyncIterator]()
      return {
        async next() {
          for (;;) {
            const { done, value } = await iterator.next()
            if (done) return { done: true, value: undefined }
            if (value.type === 'delta' && value.path.length === 0 && value.delta.type === 'text')
              return { done: false, value: value.delta.text }
          }
        },
        async return() {
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** A run that can be started and stopped, as a stream needs it. */
export interface Streamed<Result> {
  readonly runId: string
  readonly threadId: string | null
  execute(): Promise<Result>
  abort(reason?: unknown): void
}

/** Starts a run and gives its stream. */
export function streamOf<K extends Kind>(run: Streamed<RunResult<K>>, queue: EventQueue): AgentStream<K> {
  const result = run.execute()
  result.then(
    () => queue.end(),
    (error) => queue.end({ error }),
  )
  const events: AsyncIterable<AgentEvent> = { [Symbol.asyncIterator]: () => queue.read(() => run.abort()) }
  return {
    runId: run.runId,
    threadId: run.threadId,
    result,
    text: textOnly(events),
    abort: (reason) => run.abort(reason),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  }
}
