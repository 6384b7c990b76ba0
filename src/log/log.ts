import type { Checkpointer } from '../checkpointers/checkpointer.js'
import { ConflictError } from '../errors.js'
import type { Entry, EntryBody } from './entry.js'

/** A thread and who keeps it. */
interface Thread {
  readonly checkpointer: Checkpointer
  readonly id: string
}

/**
 * The log of one run on a thread. Entries that ride wait for the next append of any kind; an append resolves when the
 * thread has it.
 */
export class Log {
  readonly #runId: string
  readonly #thread: Thread
  #head: number
  #riding: Entry[] = []
  #tail: Promise<void> = Promise.resolve()
  #fenced: ConflictError | undefined

  /** `head` is the number of the thread's newest entry. */
  constructor(runId: string, thread: Thread, head: number) {
    this.#runId = runId
    this.#thread = thread
    this.#head = head
  }

  /** Keeps an entry for the next append. */
  ride(body: EntryBody): void {
    this.#riding.push({ ...body, seq: ++this.#head, runId: this.#runId })
  }

  /** Appends an entry and whatever rides. */
  append(body: EntryBody): Promise<void> {
    this.ride(body)
    const written = this.#tail.then(() => this.#write(this.#thread))
    this.#tail = written.catch(() => {})
    return written
  }

  async #write({ checkpointer, id }: Thread): Promise<void> {
    if (this.#fenced) throw this.#fenced
    if (this.#riding.length === 0) return
    const entries = this.#riding
    this.#riding = []
    const taken = await checkpointer.append(id, (entries[0] as Entry).seq - 1, entries)
    if (taken === undefined) return
    this.#fenced = new ConflictError(
      `thread "${id}": another run has written to it; this run stops and writes nothing more`,
    )
    throw this.#fenced
  }
}
