import type { Checkpointer } from '../checkpointers/checkpointer.js'
import { ConflictError } from '../errors.js'
import type { Entry, EntryBody } from './entry.js'

/**
 * The log of one run. Entries that ride wait for the next append of any kind. With a checkpointer an append resolves
 * when the thread has it; without one the log lives in memory for the length of the run, unencoded, and no append
 * makes anybody wait.
 */
export class Log {
  readonly #runId: string
  readonly #thread: { readonly checkpointer: Checkpointer; readonly id: string } | undefined
  readonly entries: Entry[]
  #head: number
  #riding: Entry[] = []
  #tail: Promise<void> = Promise.resolve()
  #fenced: ConflictError | undefined

  /** `before` are the thread's entries up to now. */
  constructor(runId: string, thread?: { checkpointer: Checkpointer; id: string }, before: readonly Entry[] = []) {
    this.#runId = runId
    this.#thread = thread
    this.entries = []
    this.#head = before.length
  }

  /** Keeps an entry for the next append. */
  ride(body: EntryBody): void {
    // Each body is made for its one entry, so it may become that entry.
    const entry: Entry = Object.assign(body, { seq: ++this.#head, runId: this.#runId })
    this.entries.push(entry)
    if (this.#thread) this.#riding.push(entry)
  }

  /** Appends an entry and whatever rides. A promise only where there is a thread to write to. */
  append(body: EntryBody): void | Promise<void> {
    this.ride(body)
    return this.#thread ? this.flush() : undefined
  }

  /** Appends whatever rides. @throws ConflictError when a newer run has the thread; from then on nothing is written. */
  flush(): Promise<void> {
    const written = this.#tail.then(() => this.#write())
    this.#tail = written.catch(() => {})
    return written
  }

  async #write(): Promise<void> {
    const thread = this.#thread
    if (thread === undefined || this.#riding.length === 0) return
    if (this.#fenced) throw this.#fenced
    const entries = this.#riding
    this.#riding = []
    const taken = await thread.checkpointer.append(thread.id, (entries[0] as Entry).seq - 1, entries)
    if (taken === undefined) return
    this.#fenced = new ConflictError(
      `thread "${thread.id}": another run has written to it; this run stops and writes nothing more`,
    )
    throw this.#fenced
  }
}
