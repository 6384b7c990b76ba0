import { ConfigError, got, StateError } from './errors.js'
import {
  callsOf,
  isMessage,
  type Message,
  ownMessage,
  type RepairOptions,
  repairPairs,
  type WireToolCall,
} from './messages.js'

/** A change of the message list that is more than appending. Made by {@link removeMessages} and {@link replaceMessages}. */
export interface MessageChange {
  readonly '~change': 'remove' | 'replace'
  readonly ids?: readonly string[]
  readonly messages?: readonly Message[]
}

/** What an update may put under `messages`: messages are appended, one with a known id replaces it. */
export type MessageUpdate = readonly (Message | MessageChange)[] | MessageChange

/** Removes messages by id; ids that are not there are passed over. */
export const removeMessages = (ids: readonly string[]): MessageChange => ({ '~change': 'remove', ids })

/** Puts a whole new list in place of the messages. */
export const replaceMessages = (messages: readonly Message[]): MessageChange => ({ '~change': 'replace', messages })

const NONE: readonly WireToolCall[] = Object.freeze([])

const isChange = (value: unknown): value is MessageChange =>
  typeof value === 'object' && value !== null && '~change' in value

const DEVELOPMENT =
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.NODE_ENV !== 'production'

/**
 * The messages of a thread. Appending costs the new messages only; the pairing of calls and results holds after every
 * change, the last assistant message's calls excepted. Messages are copied and deep-frozen as they enter.
 */
export class MessageList {
  readonly #id: () => string
  #items: Message[] = []
  #positions: Map<string, number> | undefined
  #snapshot: readonly Message[] | undefined
  #systems = 0

  constructor(id: () => string) {
    this.#id = id
  }

  get length(): number {
    return this.#items.length
  }

  /** Whether a system message stands among the messages. */
  get hasSystem(): boolean {
    return this.#systems > 0
  }

  at(index: number): Message | undefined {
    return this.#items.at(index)
  }

  get(id: string): Message | undefined {
    return this.#items[this.#position(id) ?? -1]
  }

  /** The calls that have no result yet: only those of the last assistant message can be open. */
  get open(): readonly WireToolCall[] {
    const from = this.#lastAssistant(this.#items.length)
    const asked = callsOf(this.#items[from])
    if (asked.length === 0 || from === this.#items.length - 1) return asked
    const answered = new Set<string>()
    for (const message of this.#items.slice(from + 1)) if (message.role === 'tool') answered.add(message.tool_call_id)
    return answered.size === asked.length ? NONE : asked.filter(({ id }) => !answered.has(id))
  }

  /** The messages as they are now, as an array of its own: an edit in place never reaches the list. */
  get snapshot(): readonly Message[] {
    if (this.#snapshot === undefined) {
      const copy = this.#items.slice()
      // V8 reads frozen arrays slowly, so in production they are only typed read-only.
      this.#snapshot = DEVELOPMENT ? Object.freeze(copy) : copy
    }
    return this.#snapshot
  }

  /** The same for somebody else: where it is not frozen, an array that nobody shares. */
  get copy(): readonly Message[] {
    return DEVELOPMENT ? this.snapshot : this.#items.slice()
  }

  /** Appends a message that is the list's own already: frozen, with an id that is new. */
  push(message: Message): void {
    this.#positions?.set(message.id as string, this.#items.length)
    this.#items.push(message)
    if (message.role === 'system') this.#systems++
    this.#snapshot = undefined
  }

  /**
   * Applies an update; gives the messages that are new or changed.
   * @throws StateError naming `owner` for what is neither a message nor a change.
   */
  apply(update: unknown, owner: string): readonly Message[] {
    const changes = Array.isArray(update) ? update : [update]
    for (const [index, change] of changes.entries()) {
      if (!isChange(change) && !isMessage(change)) {
        throw new StateError(
          `${owner}: expected messages[${index}] to be a message { role, content, … } or removeMessages(…) or replaceMessages(…), got ${got(change)}`,
        )
      }
    }
    const entered: Message[] = []
    const before = this.#items.length
    let loose = false
    let appended = true
    for (const change of changes as (Message | MessageChange)[]) {
      if (!isChange(change)) {
        const length = this.#items.length
        loose = this.#enter(change, entered) || loose
        if (this.#items.length === length) appended = false
      } else {
        appended = false
        if (change['~change'] === 'remove') loose = this.#remove(new Set(change.ids)) || loose
        else {
          this.#reset([])
          for (const message of change.messages ?? []) this.#enter(message, entered)
          loose = true
        }
      }
    }
    if (loose && !(appended && this.#endsPaired(before))) this.repair({ open: true })
    return entered
  }

  /** Mends the pairing; with `open` the last assistant message may keep unanswered calls. */
  repair(options: RepairOptions): void {
    const mended = repairPairs(this.#items, options)
    if (mended === this.#items) return
    const ids = new Set<string>()
    const own = mended.map((message) => {
      const { id = '', ...rest } = message
      // A result that stood in once may answer another message by now; the next stand-in needs an id of its own.
      const kept = ids.has(id) ? ownMessage(rest as Message, this.#id) : ownMessage(message, this.#id)
      ids.add(kept.id as string)
      return kept
    })
    this.#reset(own)
  }

  /** Whether what was appended, with what was open before it, is well paired; the rest of the list always is. */
  #endsPaired(before: number): boolean {
    const asked = this.#lastAssistant(before)
    const tail = this.#items.slice(callsOf(this.#items[asked]).length > 0 ? asked : before)
    return repairPairs(tail, { open: true }) === tail
  }

  /** Index of the last assistant message before an index; -1 if there is none. */
  #lastAssistant(before: number): number {
    let at = before - 1
    while (at >= 0 && this.#items[at]?.role !== 'assistant') at--
    return at
  }

  /** Takes one message in; tells whether the pairing may have suffered. */
  #enter(message: Message, entered: Message[]): boolean {
    const at = message.id === undefined ? undefined : this.#position(message.id)
    if (at === undefined) {
      const own = ownMessage(message, this.#id)
      this.push(own)
      entered.push(own)
      return message.role === 'tool' || message.role === 'assistant'
    }
    if (this.#items[at] === message) return false
    const own = ownMessage(message, this.#id)
    const items = this.#items.slice()
    items[at] = own
    this.#reset(items)
    entered.push(own)
    return true
  }

  #remove(ids: ReadonlySet<string>): boolean {
    const kept = this.#items.filter((message) => !ids.has(message.id as string))
    if (kept.length === this.#items.length) return false
    this.#reset(kept)
    return true
  }

  #reset(items: Message[]): void {
    this.#items = items
    this.#positions = undefined
    this.#snapshot = undefined
    this.#systems = items.filter((message) => message.role === 'system').length
  }

  #position(id: string): number | undefined {
    this.#positions ??= new Map(this.#items.map((message, index) => [message.id as string, index]))
    return this.#positions.get(id)
  }
}

/** Reads the messages that an app passes in. @throws ConfigError naming the index. */
export function checkMessages(messages: unknown, subject: string): readonly Message[] {
  if (!Array.isArray(messages)) throw new ConfigError(`${subject}: expected an array of messages, got ${got(messages)}`)
  for (const [index, message] of messages.entries()) {
    if (!isMessage(message)) {
      throw new ConfigError(
        `${subject}[${index}]: expected a message { role: 'system' | 'user' | 'assistant' | 'tool', content, … }, got ${got(message)}`,
      )
    }
  }
  return messages
}
