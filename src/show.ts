import type { Delta } from './events.js'
import type { Ledger } from './log/ledger.js'
import { type AssistantMessage, textOf } from './messages.js'

/** A way out for deltas: the `emit` of a request, which may lead through layers that hold some back. */
type Way = (delta: Delta) => void | Promise<void>

/** What of a reply is on show, over all attempts at it. */
export class Show {
  readonly #ledger: Ledger
  #messageId = ''
  #attempts = 0
  #attempt = 1
  #text = ''
  #usedWays: Set<Way> | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Begins a reply. */
  begin(messageId: string): void {
    this.#messageId = messageId
  }

  /** The number of one more attempt. */
  nextAttempt(): number {
    return ++this.#attempts
  }

  /** Says which attempt the delta that follows belongs to, and which way it takes. */
  stamp(attempt: number, way: Way): void {
    this.#attempt = attempt
    this.#usedWays ??= new Set()
    this.#usedWays.add(way)
  }

  /** Whether an attempt has used this way out since the last reset, whether or not its text has arrived here. */
  isUsed(way: Way): boolean {
    return this.#usedWays?.has(way) === true
  }

  emit(delta: Delta): void | Promise<void> {
    if (delta.type === 'text') this.#text += delta.text
    else if (delta.type === 'reset') {
      this.#text = ''
      this.#usedWays = undefined
    }
    return this.#ledger.notifyDelta(this.#messageId, this.#attempt, delta)
  }

  /** A reply whose text was not shown as it is, a layer's own or a changed one, is shown whole. */
  async whole(message: AssistantMessage): Promise<void> {
    const text = textOf(message.content)
    if (text === this.#text) return
    if (this.#text !== '') await this.emit({ type: 'reset' })
    if (text !== '') await this.emit({ type: 'text', text })
  }
}
