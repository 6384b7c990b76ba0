import type { AgentEvent, Delta, EventBody } from '../events.js'
import { type AssistantMessage, type Message, ownMessage } from '../messages.js'
import { type OwnedUpdate, State, type StateSchema } from '../state.js'
import { addUsage, NO_USAGE, type Usage } from '../usage.js'
import type { EntryBody, Phase, Route } from './entry.js'
import type { Log } from './log.js'

/** Where a run's events go. A promise asks the sender to wait. */
export type Emit = (event: AgentEvent) => void | Promise<void>

/** The books of one run: its state, its log, its usage, and the events that tell of them. */
export class Ledger {
  readonly runId: string
  readonly path: readonly string[]
  readonly state: State
  /** Whether anybody listens. */
  readonly listening: boolean
  /** Where the run is written down; without a thread nobody could read it. */
  log: Log | undefined
  usage: Usage = NO_USAGE
  /** Turns entered so far. */
  turns = 0
  /** The last assistant message that this run added. */
  lastReply: AssistantMessage | undefined
  readonly #emit: Emit | undefined
  readonly #fields: StateSchema
  #draft: OwnedUpdate[] = []
  #entered: Message[] = []
  #ids = 0

  constructor(runId: string, fields: StateSchema, path: readonly string[], emit: Emit | undefined) {
    this.runId = runId
    this.path = path
    this.#fields = fields
    this.#emit = emit
    this.listening = emit !== undefined
    this.state = new State(fields, this.nextMessageId)
  }

  /** Whether anybody reads what is written here: a thread, or a listener. */
  get #recorded(): boolean {
    return this.listening || this.log !== undefined
  }

  /** Ids of messages: the run's, and a number. */
  nextMessageId = (): string => `${this.runId.slice(0, 16)}-${++this.#ids}`

  /**
   * Applies an update at once; the next commit records it.
   * @throws StateError naming the key and the owner; then nothing of it is applied.
   */
  update(owner: string, values: Readonly<Record<string, unknown>>): void {
    const update = {
      owner,
      values: values.messages === undefined ? values : { ...values, messages: this.#own(values.messages) },
    }
    const entered = this.state.apply(update)
    if (this.#recorded) this.#draft.push(update)
    for (const message of entered) {
      if (message.role === 'assistant') this.lastReply = message
      if (this.listening) this.#entered.push(message)
    }
  }

  /** Takes in messages that the engine made: frozen, with new ids, in their right place. */
  enter(owner: string, messages: readonly Message[]): void {
    for (const message of messages) {
      this.state.messages.push(message)
      if (message.role === 'assistant') this.lastReply = message
      if (this.listening) this.#entered.push(message)
    }
    if (this.#recorded) this.#draft.push({ owner, values: { messages } })
  }

  // What is recorded must be what entered, so messages get their ids before both.
  #own(messages: unknown): unknown {
    const own = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && 'role' in value
        ? ownMessage(value as Message, this.nextMessageId)
        : value
    return Array.isArray(messages) ? messages.map(own) : messages
  }

  /** Closes a phase: what was updated since the last commit is recorded and shown. With `rides` it may wait for the next append. */
  commit(phase: Phase, route: Route, rides = false): void | Promise<void> {
    if (!this.#recorded) return undefined
    const updates = this.#draft
    this.#draft = []
    const entry: EntryBody = { kind: 'commit', turn: this.turns, phase, updates, route }
    const written = rides ? this.log?.ride(entry) : this.log?.append(entry)
    if (!this.listening) return written
    return this.#show(updates, written)
  }

  async #show(updates: readonly OwnedUpdate[], written: void | Promise<void>): Promise<void> {
    await written
    const entered = this.#entered
    this.#entered = []
    for (const message of entered) await this.notify({ type: 'message', message })
    const shown = updates
      .map(({ values }) => this.#fields.shown(values))
      .filter((values) => Object.keys(values).some((key) => key !== 'messages'))
    if (shown.length > 0)
      await this.notify({ type: 'state', updates: shown.map(({ messages: _, ...values }) => values) })
  }

  /** Whether entries are kept. */
  get keeps(): boolean {
    return this.log !== undefined
  }

  /** Appends an entry and whatever rides. */
  append(entry: EntryBody): void | Promise<void> {
    return this.log?.append(entry)
  }

  /** Books what a call used. */
  book(usage: Usage): void {
    this.usage = addUsage(this.usage, usage)
  }

  /** Shows an event, where somebody listens. */
  notify(event: EventBody): void | Promise<void> {
    return this.#emit?.({ runId: this.runId, turn: this.turns, path: this.path, ...event })
  }

  /** Shows a piece of a reply; there are thousands of them, so the event is made at once. */
  notifyDelta(messageId: string, attempt: number, delta: Delta): void | Promise<void> {
    const { runId, turns: turn, path } = this
    return this.#emit?.({ runId, turn, path, type: 'delta', messageId, attempt, delta })
  }

  /** Shows an event of a sub-agent, as it is. */
  forward(event: AgentEvent): void | Promise<void> {
    return this.#emit?.(event)
  }
}
