import type { Entry } from '../log/entry.js'
import type { Checkpointer } from './checkpointer.js'

/** Keeps threads in this process, for as long as the checkpointer lives. */
export function memoryCheckpointer(): Checkpointer {
  const threads = new Map<string, Entry[]>()
  return {
    kind: 'memory',
    async read(threadId) {
      return threads.get(threadId)?.slice() ?? []
    },
    async append(threadId, head, entries) {
      const log = threads.get(threadId)
      if (log === undefined) threads.set(threadId, [...entries])
      else if (log.length > head) return log.slice(head)
      else log.push(...entries)
      return undefined
    },
  }
}
