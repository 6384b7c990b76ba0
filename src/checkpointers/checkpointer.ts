import type { Entry } from '../log/entry.js'

/**
 * Keeps threads: each an append-only log, which is the only truth. Entries are numbered from 1 without gaps. May be
 * used by many runs at once.
 */
export interface Checkpointer {
  readonly kind: string
  /** The entries of a thread, oldest first; none if there is no such thread. */
  read(threadId: string): Promise<readonly Entry[]>
  /**
   * Appends entries whose numbers follow `head`. Writes all of them and gives `undefined`; or, where `head` is not the
   * newest number, writes none and gives what came after it.
   */
  append(threadId: string, head: number, entries: readonly Entry[]): Promise<readonly Entry[] | undefined>
}
