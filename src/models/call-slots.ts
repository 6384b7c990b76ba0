import type { Delta } from '../events.js'
import type { WireToolCall } from '../messages.js'
import { isFields } from './reply-facts.js'
import type { WireNames } from './wire-names.js'
import { hasText, isWholeObject, unwrapped } from './wire-text.js'

interface Slot {
  readonly index: number | undefined
  /** The id that the provider gave, and the one that the call has; they differ where one came twice. */
  sourceId: string
  id: string
  /** The pieces of the wire name, as they came. */
  readonly pieces: string[]
  /** The original name; undefined while it may have changed. */
  name: string | undefined
  args: string
  /** Arguments that nobody was shown yet, as id or name are not known. */
  held: string
  readonly extras: Record<string, unknown>
  readonly functionExtras: Record<string, unknown>
}

/**
 * Gathers the tool calls of a reply from deltas, whatever their index, ids and names do. Rules, as many servers need:
 *
 * - A delta belongs to the slot of its index; a different id on a taken index opens a new slot.
 * - Without an index, an id opens or finds a slot; a name behind complete arguments opens one; anything else continues
 *   the last slot.
 * - A name in pieces is joined, one that is repeated is not; where both readings are possible, the one that is the name
 *   of an offered tool wins, and the repeated one if both or none are.
 * - Calls are in the order of their index; if one has none, in the order in which they came.
 * - An id that never comes, or comes twice, is made up.
 */
export class CallSlots {
  readonly #slots: Slot[] = []
  readonly #byIndex = new Map<number, Slot>()
  readonly #names: WireNames
  #last: Slot | undefined

  constructor(names: WireNames) {
    this.#names = names
  }

  get size(): number {
    return this.#slots.length
  }

  /** Takes the calls of one delta. `whole` says that each entry is a call of its own, as in a reply that is not streamed. */
  push(entries: readonly unknown[], whole: boolean, deltas: Delta[]): void {
    const fresh = entries.length > 1 ? new Set<Slot>() : undefined
    for (const entry of entries) {
      if (!isFields(entry)) continue
      const fn = isFields(entry.function) ? entry.function : {}
      const id = typeof entry.id === 'string' ? entry.id : ''
      const name = typeof fn.name === 'string' ? fn.name : ''
      const args = argsText(fn.arguments)
      const index = !whole && typeof entry.index === 'number' ? entry.index : undefined
      const slot = whole ? this.#open(undefined) : this.#slotFor(index, id, name, args, fresh)
      fresh?.add(slot)
      this.#last = slot
      if (id !== '' && slot.sourceId === '') this.#identify(slot, id)
      if (name !== '') {
        slot.pieces.push(name)
        slot.name = undefined
      }
      keep(slot.extras, entry, CALL_FIELDS)
      keep(slot.functionExtras, fn, FUNCTION_FIELDS)
      if (args !== '') this.#append(slot, args, deltas)
    }
  }

  /** The calls, complete; `deltas` gets what was not shown yet. */
  end(deltas: Delta[]): WireToolCall[] {
    const calls: WireToolCall[] = []
    for (const slot of this.#ordered()) {
      const name = this.#nameOf(slot)
      // A slot of nothing is noise of the stream. One with an id or arguments is a call, and gets its answer.
      if (name === '' && slot.sourceId === '' && !hasText(slot.args)) continue
      if (slot.id === '') slot.id = newCallId()
      if (slot.held !== '') this.#show(slot, deltas)
      const args = hasText(slot.args) ? unwrapped(slot.args) : '{}'
      calls.push({
        ...slot.extras,
        id: slot.id,
        type: 'function',
        function: { ...slot.functionExtras, name, arguments: args },
      })
    }
    return calls
  }

  #slotFor(
    index: number | undefined,
    id: string,
    name: string,
    args: string,
    fresh: ReadonlySet<Slot> | undefined,
  ): Slot {
    if (index !== undefined) {
      const slot = this.#byIndex.get(index)
      if (slot === undefined) return this.#open(index)
      if (id !== '' && slot.sourceId !== '' && slot.sourceId !== id) {
        return this.#slots.find((other) => other.index === index && other.sourceId === id) ?? this.#open(index)
      }
      return id === '' && args !== '' && this.#isAnother(slot, name, args) ? this.#open(index) : slot
    }
    const last = this.#last
    if (id !== '') {
      const known = this.#slots.find((slot) => slot.sourceId === id)
      if (known) return this.#isAnother(known, name, args) ? this.#open() : known
      const late = last !== undefined && last.sourceId === '' && !fresh?.has(last) && !this.#startsAnew(last, name)
      return late ? last : this.#open()
    }
    if (last === undefined) return this.#open()
    if (name === '') return last
    if (fresh?.has(last) && last.pieces.length > 0) return this.#open()
    return this.#isAnother(last, name, args) ? this.#open() : last
  }

  /** Whether a delta is a call of its own, not the rest of a slot's or the same once more. */
  #isAnother(slot: Slot, name: string, args: string): boolean {
    if (slot.pieces.includes(name) && (args === '' || args === slot.args)) return false
    return this.#startsAnew(slot, name)
  }

  /** Whether a delta with this name cannot belong to a slot: the slot is complete, or both are tools by themselves. */
  #startsAnew(slot: Slot, name: string): boolean {
    if (name === '' || slot.pieces.length === 0) return false
    if (slot.args !== '') return isWholeObject(slot.args)
    const before = slot.pieces.join('')
    const { isOffered } = this.#names
    return before !== name && isOffered(before) && isOffered(name) && !isOffered(before + name)
  }

  #open(index?: number): Slot {
    const slot: Slot = {
      index,
      sourceId: '',
      id: '',
      pieces: [],
      name: undefined,
      args: '',
      held: '',
      extras: {},
      functionExtras: {},
    }
    this.#slots.push(slot)
    if (index !== undefined) this.#byIndex.set(index, slot)
    return slot
  }

  #identify(slot: Slot, id: string): void {
    const isTaken = this.#slots.some((other) => other.sourceId === id)
    slot.sourceId = id
    slot.id = isTaken ? newCallId() : id
  }

  #append(slot: Slot, args: string, deltas: Delta[]): void {
    // Some servers close with the whole call once more.
    if (args === slot.args && isWholeObject(args)) return
    slot.args += args
    slot.held += args
    if (slot.id !== '' && slot.pieces.length > 0) this.#show(slot, deltas)
  }

  #show(slot: Slot, deltas: Delta[]): void {
    deltas.push({ type: 'tool-args', toolCallId: slot.id, name: this.#nameOf(slot), text: slot.held })
    slot.held = ''
  }

  #nameOf(slot: Slot): string {
    slot.name ??= this.#names.fromWire(wireNameOf(slot.pieces, this.#names.isOffered))
    return slot.name
  }

  #ordered(): readonly Slot[] {
    if (this.#slots.some((slot) => slot.index === undefined)) return this.#slots
    return [...this.#slots].sort((a, b) => a.index! - b.index!)
  }
}

/** An id for a call that came without one. */
export const newCallId = (): string => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'index', 'type', 'function', '__proto__'])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', '__proto__'])

function keep(
  into: Record<string, unknown>,
  from: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  for (const key in from) {
    const value = from[key]
    if (!known.has(key) && value !== null && value !== undefined) into[key] = value
  }
}

const argsText = (args: unknown): string => {
  if (typeof args === 'string') return args
  return args === null || args === undefined ? '' : JSON.stringify(args)
}

function wireNameOf(pieces: readonly string[], isOffered: (name: string) => boolean): string {
  const last = pieces.at(-1)
  if (last === undefined || pieces.length === 1) return last ?? ''
  const joined = pieces.join('')
  // A sender that repeats sends the name so far each time: the last piece holds all before it.
  const repeats = pieces.every((piece) => last.startsWith(piece))
  if (repeats && (isOffered(last) || !isOffered(joined))) return last
  return isOffered(joined) || !isOffered(last) ? joined : last
}
