import type { Delta } from './events.js'
import type { Ledger } from './log/ledger.js'
import { type AssistantMessage, textOf } from './messages.js'

/** What of a reply is on show, over all attempts at it. */
export class Show {
  readonly #ledger: Ledger
  #messageId = ''
  #attempts = 0
  #attempt = 1
  #text = ''

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

  /** Says which attempt the deltas that follow belong to. */
  stamp(attempt: number): void {
    this.#attempt = attempt
  }

  /** Whether text of an earlier attempt is on show. */
  get isOpen(): boolean {
    return this.#text !== ''
  }

  emit(delta: Delta): void | Promise<void> {
    if (delta.type === 'text') this.#text += delta.text
    else if (delta.type === 'reset') this.#text = ''
    return this.#ledger.notify({ type: 'delta', messageId: this.#messageId, attempt: this.#attempt, delta })
  }

  /** A reply whose text was not shown as it is, a layer's own or a changed one, is shown whole. */
  async whole(message: AssistantMessage): Promise<void> {
    const text = textOf(message.content)
    if (text === this.#text) return
    if (this.isOpen) await this.emit({ type: 'reset' })
    if (text !== '') await this.emit({ type: 'text', text })
  }
}
