/** Every code that an {@link AgentError} carries, with the class it belongs to and when it is thrown. */
export const CODES = {
  CONFIG: 'ConfigError: something that the app passes in is not what was expected.',
  MODEL_FAILED: 'ModelError: the provider refused, failed, or could not be reached.',
  MODEL_TIMEOUT: 'ModelError: the provider was silent for longer than the idle limit.',
  STREAM_INCOMPLETE: 'ModelError: a stream ended without an end mark, or with an error inside; nothing of it executes.',
  MODEL_RESPONSE: 'ModelError: the reply has not the shape that its protocol promises.',
  STRUCTURED_OUTPUT: 'ModelError: no valid structured answer came within the allowed repairs; `cause` has the misfit.',
  TOOL_FAILED: 'ToolError: a tool could not give a result.',
  TOOL_TIMEOUT: 'ToolError: a tool did not settle within its `timeoutMs`.',
  TOOL_INPUT: 'ToolInputError: the arguments of a call are not complete JSON, or do not fit the schema.',
  TOOL_NOT_FOUND: 'ToolNotFoundError: a call names a tool that is unknown, was not offered, or has no implementation.',
  STATE: 'StateError: an update or a stored value does not fit its field.',
  STEP_NOT_AWAITED: 'StepError: a step returned before the `next()` that it called had settled.',
  STEP_TWICE: 'StepError: a run or a turn was entered twice, or after it was over.',
  LAYER_RESULT: 'StepError: a layer returned something that is not a response or a result.',
  LIMIT: 'LimitError: a bound of size, time or number was reached.',
  CONFLICT: 'ConflictError: another run, or a newer write, has the thread or the item.',
  STORAGE: 'StorageError: a checkpointer or a store failed, or holds what cannot be read.',
  PROTOCOL: 'ProtocolError: a peer spoke a protocol wrongly.',
} as const

/** The codes of {@link CODES}. */
export type ErrorCode = keyof typeof CODES

/** What every error of Cepa may carry. */
export interface AgentErrorOptions {
  code?: ErrorCode
  /** Whether the same call may succeed later. `false` by default. */
  retryable?: boolean
  /** Whether the text may be shown to a model or a client, as in Koa. `true` by default. */
  expose?: boolean
  cause?: unknown
}

const BRAND = Symbol.for('cepa.error')

/** The root of all errors that Cepa itself throws. Recognise one by {@link isAgentError}, never by `instanceof`. */
export class AgentError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly expose: boolean
  static readonly code: ErrorCode = 'CONFIG'

  constructor(message: string, options: AgentErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = new.target.name
    this.code = options.code ?? new.target.code
    this.retryable = options.retryable ?? false
    this.expose = options.expose ?? true
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** Something that the app passes in is wrong; the message says what was expected and what came. */
export class ConfigError extends AgentError {
  static override readonly code: ErrorCode = 'CONFIG'
}

/** Options of a {@link ModelError}. */
export interface ModelErrorOptions extends AgentErrorOptions {
  provider?: string
  /** HTTP status, where there was one. */
  status?: number
  requestId?: string
  /** The provider's own hint, in milliseconds. */
  retryAfterMs?: number
  /** The raw text of a reply that could not be used. */
  text?: string
  replayed?: boolean
}

/** A model call failed, or its reply cannot be used. */
export class ModelError extends AgentError {
  static override readonly code: ErrorCode = 'MODEL_FAILED'
  readonly provider: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly text: string | undefined
  readonly replayed: boolean

  constructor(message: string, options: ModelErrorOptions = {}) {
    super(message, options)
    this.provider = options.provider
    this.status = options.status
    this.requestId = options.requestId
    this.retryAfterMs = options.retryAfterMs
    this.text = options.text
    this.replayed = options.replayed ?? false
  }
}

/** A tool could not give a result. */
export class ToolError extends AgentError {
  static override readonly code: ErrorCode = 'TOOL_FAILED'
}

/** The arguments of a call do not fit. `issues` name the paths. */
export class ToolInputError extends ToolError {
  static override readonly code: ErrorCode = 'TOOL_INPUT'
  readonly issues: readonly Issue[]

  constructor(message: string, options: AgentErrorOptions & { issues?: readonly Issue[] } = {}) {
    super(message, options)
    this.issues = options.issues ?? []
  }
}

/** One misfit of a value: where, and why. `path` is dotted, and empty at the root. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** A call names a tool that cannot run. */
export class ToolNotFoundError extends ToolError {
  static override readonly code: ErrorCode = 'TOOL_NOT_FOUND'
}

/** An update of the state does not fit. */
export class StateError extends AgentError {
  static override readonly code: ErrorCode = 'STATE'
}

/** A step or a layer broke the rules of its ring. */
export class StepError extends AgentError {
  static override readonly code: ErrorCode = 'STEP_TWICE'
}

/** A bound was reached. */
export class LimitError extends AgentError {
  static override readonly code: ErrorCode = 'LIMIT'
}

/** A checkpointer or a store failed. */
export class StorageError extends AgentError {
  static override readonly code: ErrorCode = 'STORAGE'
}

/** Somebody else has the thread or the item. */
export class ConflictError extends StorageError {
  static override readonly code: ErrorCode = 'CONFLICT'
}

/** A peer spoke a protocol wrongly. */
export class ProtocolError extends AgentError {
  static override readonly code: ErrorCode = 'PROTOCOL'
}

/** Reads a property of whatever was thrown; `undefined` where that throws, as a hostile getter or proxy does. */
export function peek(value: unknown, key: string | symbol): unknown {
  try {
    return typeof value === 'object' ? (value as Record<string | symbol, unknown> | null)?.[key] : undefined
  } catch {
    return undefined
  }
}

/** Tells whether a value is an error of Cepa's, also of another copy of the package. Never throws. */
export const isAgentError = (value: unknown): value is AgentError => peek(value, BRAND) === true

/** Shows a value in an error: its type, and itself where it is short. */
export function got(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  switch (typeof value) {
    case 'string':
      return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value)
    case 'function':
      return value.name ? `function ${value.name}` : 'a function'
    case 'object': {
      const name = Object.getPrototypeOf(value)?.constructor?.name
      return name && name !== 'Object'
        ? `a ${name}`
        : `an object with keys ${JSON.stringify(Object.keys(value).slice(0, 8))}`
    }
    default:
      return String(value)
  }
}
