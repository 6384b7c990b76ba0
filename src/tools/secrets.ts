import type { Scrubber } from './scrubber.js'

/** The secrets of one run, and what takes them out of whatever leaves: it is loaded and made with the first of them. */
export class Secrets {
  scrubber: Scrubber | undefined

  /** The value without secrets; the same one if it holds none. */
  scrub<T>(value: T): T {
    return this.scrubber === undefined ? value : this.scrubber.scrub(value)
  }
}
