import { ConfigError, got, StateError } from './errors.js'
import { BOOLEAN, check, checkValue, isFunction, isRecord, isWhole, type Rules } from './internal/check.js'
import { thaw } from './internal/freeze.js'
import {
  isStandardSchema,
  issuesText,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  validateStandard,
} from './internal/standard-schema.js'
import { MessageList } from './message-list.js'
import type { Message } from './messages.js'

/** What every state has. */
export interface BaseState {
  readonly messages: readonly Message[]
}

/** Options of {@link field}. */
export interface FieldOptions<Value, Change> {
  /** How an update enters the value: pure, total, no clock. Without one the update replaces the value. */
  reducer?: (value: Value, update: Change) => Value
  /** Version of the reducer, for stored snapshots. @default 0 */
  version?: number
  /** Neither input nor output of a run. @default false */
  hidden?: boolean
  /** Not persisted. @default false */
  ephemeral?: boolean
}

/** A state field with more to say than its schema. Made by {@link field}. */
export interface Field<Value = unknown, Change = Value> {
  readonly '~field': true
  readonly '~value'?: Value
  readonly '~update'?: Change
  readonly schema: StandardSchema
  readonly reducer: ((value: unknown, update: unknown) => unknown) | undefined
  readonly version: number
  readonly hidden: boolean
  readonly ephemeral: boolean
}

/**
 * Marks a state field: its reducer, and whether it is hidden or ephemeral.
 *
 * @example
 * stateSchema: { calls: field(z.number().default(0), { reducer: (sum, n: number) => sum + n }) }
 * @throws ConfigError if the schema cannot validate, or an option is not known.
 */
export function field<S extends StandardSchema, Change = SchemaInput<S>>(
  schema: S,
  options: FieldOptions<SchemaOutput<S>, Change> = {},
): Field<SchemaOutput<S>, Change> {
  if (!isStandardSchema(schema))
    throw new ConfigError(`field(): expected a schema (zod or any Standard Schema), got ${got(schema)}`)
  check(options, FIELD, 'field()')
  const { reducer, version = 0, hidden = false, ephemeral = false } = options
  return Object.freeze({ '~field': true, schema, reducer: reducer as Field['reducer'], version, hidden, ephemeral })
}

const FIELD: Rules = {
  reducer: [isFunction, 'a function (value, update) => value'],
  version: [(value) => isWhole(value, 0), 'a whole number from 0'],
  hidden: BOOLEAN,
  ephemeral: BOOLEAN,
}

const isField = (value: unknown): value is Field =>
  typeof value === 'object' && value !== null && (value as Field)['~field'] === true

/** A record of fields, or a `z.object` read through its shape. */
export type StateShape = Readonly<Record<string, unknown>> | StandardSchema

interface Declared extends Field {
  readonly owner: string
  readonly source: unknown
  readonly initial: unknown
}

/** An update on its way into the state: what changes, and who asks for it. */
export interface OwnedUpdate {
  readonly owner: string
  readonly values: Readonly<Record<string, unknown>>
}

/** The declared fields of an agent, with their owners. Immutable once the agent runs. */
export class StateSchema {
  readonly #fields = new Map<string, Declared>()

  /** @throws ConfigError for what is no schema, for `messages`, and for a field that two owners declare differently. */
  declare(shape: StateShape, owner: string): void {
    for (const [name, source] of Object.entries(fieldsOf(shape, owner))) {
      const declared = this.#fields.get(name)
      if (declared?.source === source) continue
      if (declared)
        throw new ConfigError(
          `state field "${name}" is declared by ${declared.owner} and, with another schema, by ${owner}: share one schema object, or rename one`,
        )
      if (name === 'messages')
        throw new ConfigError(`${owner}: the state field "messages" is built in and cannot be declared`)
      this.#fields.set(name, read(name, source, owner))
    }
  }

  get(name: string): Field | undefined {
    return this.#fields.get(name)
  }

  /** The values without hidden fields. */
  shown(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).filter(([name]) => !this.#fields.get(name)?.hidden))
  }

  get names(): string[] {
    return [...this.#fields.keys()]
  }

  /** The state before anything was written: defaults, where a schema has one. */
  initial(): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    for (const [name, { initial }] of this.#fields) if (initial !== undefined) values[name] = initial
    return values
  }

  /**
   * The value of a field after an update. `undefined` leaves it as it is.
   * @throws StateError naming field and owner: no such field, a misfit, or what the reducer threw as `cause`.
   */
  reduce(name: string, value: unknown, update: unknown, owner: string): unknown {
    if (update === undefined) return value
    const declared = this.#fields.get(name)
    if (declared === undefined) {
      const known = ['messages', ...this.names].join(', ')
      throw new StateError(`${owner}: the update has the key "${name}", which no field declares; known: ${known}`)
    }
    if (declared.reducer !== undefined) {
      try {
        return frozen(declared.reducer(value, update))
      } catch (cause) {
        throw new StateError(`${owner}: the reducer of state field "${name}" threw: ${String(cause)}`, { cause })
      }
    }
    const result = validateStandard(declared.schema, update)
    if (result instanceof Promise)
      throw new StateError(
        `${declared.owner}: the schema of state field "${name}" is asynchronous, which a state field cannot be`,
      )
    if (result.issues)
      throw new StateError(`${owner}: the update of state field "${name}" does not fit: ${issuesText(result.issues)}`)
    return frozen(result.value)
  }
}

function fieldsOf(shape: unknown, owner: string): Readonly<Record<string, unknown>> {
  const record = isStandardSchema(shape) ? (shape as { shape?: unknown }).shape : shape
  checkValue(shape, [() => isRecord(record), 'a record of fields or a z.object'], `${owner}: expected stateSchema`)
  return record as Readonly<Record<string, unknown>>
}

const frozen = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Object.isFrozen(value) ? freezeCopy(value) : value

const freezeCopy = (value: object): unknown => {
  const copy = thaw(value)
  return copy === value ? value : Object.freeze(copy)
}

function read(name: string, source: unknown, owner: string): Declared {
  if (!isField(source) && !isStandardSchema(source)) {
    throw new ConfigError(
      `${owner}: expected state field "${name}" to be a schema or field(schema, …), got ${got(source)}`,
    )
  }
  const declared = isField(source) ? source : field(source)
  const result = validateStandard(declared.schema, undefined)
  if (result instanceof Promise) {
    result.catch(() => {})
    throw new ConfigError(
      `${owner}: the schema of state field "${name}" is asynchronous, which a state field cannot be`,
    )
  }
  return { ...declared, owner, source, initial: result.issues ? undefined : frozen(result.value) }
}

/** The state of one run: the messages and the declared fields, as they are after what was applied so far. */
export class State {
  readonly #schema: StateSchema
  readonly messages: MessageList
  #values: Record<string, unknown>
  #view: BaseState | undefined

  /** `id` makes the ids of messages that come without one. */
  constructor(schema: StateSchema, id: () => string) {
    this.#schema = schema
    this.messages = new MessageList(id)
    this.#values = schema.initial()
  }

  /** The whole state as one frozen value; the same object until something changes. */
  get view(): BaseState {
    const messages = this.messages.snapshot
    if (this.#view === undefined || this.#view.messages !== messages) {
      this.#view = Object.freeze({ ...this.#values, messages })
    }
    return this.#view
  }

  /** The state without hidden fields, as a result shows it. */
  get shown(): BaseState {
    return Object.freeze({ ...this.#schema.shown(this.#values), messages: this.messages.snapshot })
  }

  /**
   * Applies one update, all of it or nothing; gives the messages that entered.
   * @throws StateError naming the key and the owner.
   */
  apply({ owner, values }: OwnedUpdate): readonly Message[] {
    const changed: Record<string, unknown> = {}
    let fields = false
    for (const key of Object.keys(values)) {
      if (key === 'messages') continue
      changed[key] = this.#schema.reduce(key, this.#values[key], values[key], owner)
      fields = true
    }
    const entered = values.messages === undefined ? NONE : this.messages.apply(values.messages, owner)
    if (fields) {
      this.#values = { ...this.#values, ...changed }
      this.#view = undefined
    }
    return entered
  }
}

const NONE: readonly Message[] = Object.freeze([])
