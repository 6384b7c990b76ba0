import type { Goto } from './command.js'
import { ConfigError, got, StepError } from './errors.js'
import type { Delta, StopReason } from './events.js'
import type { Interrupt } from './interrupt.js'
import type { Kind, OutputKind, StateOf, UpdateOf } from './kind.js'
import type { CallView, Message, Part, ToolMessage } from './messages.js'
import type { Model, ModelResponse, ModelSettings, ToolChoice } from './models/model.js'
import type { Runtime } from './runtime.js'
import type { AnyTool } from './tools/tool.js'
import type { Usage } from './usage.js'

/** What a run gives back. */
export interface RunResult<K extends Kind = Kind, Output extends OutputKind = OutputKind> {
  /** The whole thread. */
  readonly messages: readonly Message[]
  /** Messages and declared fields, without hidden ones. */
  readonly state: StateOf<K>
  /** Content of the last assistant message of this run, or the direct tools' results; `''` if there is none. */
  readonly output: string | Part[]
  /** The validated answer where `responseFormat` asks for one and the run ended with `'stop'`. */
  readonly structured: Output['structured'] | undefined
  readonly stopReason: StopReason
  /** Open questions, if the run paused. */
  readonly interrupts: readonly Interrupt[]
  /** Of a paused turn: the results that are there, but not in the messages yet. */
  readonly done: readonly ToolMessage[]
  readonly usage: Usage
  readonly runId: string
  readonly threadId: string | null
}

/** What a run step is given: shared, live, written through its methods only. */
export interface RunContext<K extends Kind = Kind> {
  readonly runId: string
  readonly threadId: string | null
  /** 1, and one more each time that this run is entered again. */
  readonly leg: number
  /** What the run was given, as an update of the state. */
  readonly input: Readonly<Record<string, unknown>>
  /** Live: always the current one. */
  readonly state: StateOf<K>
  readonly context: Readonly<K['context']>
  readonly runtime: Runtime<K['context']>
  readonly signal: AbortSignal
  readonly usage: Usage
  /** Turns entered so far. */
  readonly turns: number
  /** Set when `next()` has resolved. */
  readonly result: RunResult<K> | undefined
  /** Scratch for steps (Koa's `ctx.state`); not persisted. */
  readonly locals: Record<PropertyKey, unknown>
  update(update: UpdateOf<K>): void
  /** Ends the run with `stopReason: 'aborted'`. */
  abort(reason?: unknown): void
}

/** What a turn step is given: shared, live, written through its methods only. */
export interface TurnContext<K extends Kind = Kind> {
  readonly run: RunContext<K>
  /** From 1. */
  readonly index: number
  readonly state: StateOf<K>
  readonly context: Readonly<K['context']>
  readonly runtime: Runtime<K['context']>
  readonly signal: AbortSignal
  /** Set when `next()` has resolved, if the model was called. */
  readonly response: ModelResponse | undefined
  /** In call order. */
  readonly results: readonly ToolResult[]
  update(update: UpdateOf<K>): void
  goto(target: Goto): void
}

/** What a layer may change of a model request. */
export interface ModelRequestChange {
  model: Model | string
  messages: readonly Message[]
  systemPrompt: string
  tools: readonly AnyTool[]
  toolChoice: ToolChoice | undefined
  responseFormat: unknown
  settings: ModelSettings
  /** A promise only when the reader's buffer is full: await it. */
  emit: (delta: Delta) => void | Promise<void>
  /** The run's own signal is always joined to it. */
  signal: AbortSignal
}

/** What a model layer is given: a frozen value. A changed one is a copy, for this call only. */
export interface ModelRequest<K extends Kind = Kind> extends Readonly<ModelRequestChange> {
  /** Id of the reply, known before it. */
  readonly messageId: string
  /** Whether somebody listens. */
  readonly streaming: boolean
  readonly state: StateOf<K>
  readonly context: Readonly<K['context']>
  readonly runtime: Runtime<K['context']>
  /** A changed copy. */
  override(change: Partial<ModelRequestChange>): ModelRequest<K>
}

/** Goes on inwards; may be called again, with the same request or a changed one. */
export type ModelHandler<K extends Kind = Kind> = (request?: ModelRequest<K>) => Promise<ModelResponse>

/** A layer of the model call. */
export type ModelLayer<K extends Kind = Kind> = (
  request: ModelRequest<K>,
  handler: ModelHandler<K>,
) => Promise<ModelResponse>

/** What a layer may change of a tool call. */
export interface ToolCallChange {
  args?: unknown
  tool?: AnyTool
  /** The run's own signal is always joined to it. */
  signal?: AbortSignal
}

/** What a tool layer is given: a frozen value. */
export interface ToolCallRequest<K extends Kind = Kind> {
  /** `args` is the parsed JSON, not validated yet, `undefined` if it is not complete JSON; `arguments` is the text. */
  readonly toolCall: CallView & { readonly arguments: string }
  /** `undefined` when the tool is unknown or was not offered; putting one there is a grant. */
  readonly tool: AnyTool | undefined
  readonly state: StateOf<K>
  readonly context: Readonly<K['context']>
  readonly runtime: Runtime<K['context']>
  readonly signal: AbortSignal
  /** A changed copy; `args` are validated again. */
  override(change: ToolCallChange): ToolCallRequest<K>
}

/** The result of a tool call; content, status and artifact are in the message. */
export interface ToolResult {
  readonly message: ToolMessage
  /** Updates of the state, inner first; see {@link withUpdate}. */
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  readonly goto?: Goto
}

/** Goes on inwards; may be called again. It rejects with what the tool threw. */
export type ToolHandler<K extends Kind = Kind> = (request?: ToolCallRequest<K>) => Promise<ToolResult>

/** A layer of the tool call. */
export type ToolLayer<K extends Kind = Kind> = (
  request: ToolCallRequest<K>,
  handler: ToolHandler<K>,
) => Promise<ToolResult>

/** What a policy says of a call. Made by {@link allow} and {@link deny}. */
export type Verdict = { readonly verdict: 'allow' } | { readonly verdict: 'deny'; readonly reason: string }

const ALLOW: Verdict = Object.freeze({ verdict: 'allow' })

/** The call may be executed, as far as this policy goes. */
export const allow = (): Verdict => ALLOW

/** The call is not executed; `reason` is what the model is told. */
export const deny = (reason: string): Verdict => Object.freeze({ verdict: 'deny', reason })

/** A copy of a response or a result with one more update of the state, behind those that are there. */
export const withUpdate = <T extends { readonly updates?: readonly Readonly<Record<string, unknown>>[] }>(
  value: T,
  update: Record<string, unknown>,
): T => ({ ...value, updates: value.updates === undefined ? [update] : [...value.updates, update] })

/** What the two requests read of the turn that they belong to. */
export interface Surroundings {
  readonly state: object
  readonly context: object
  readonly runtime: Runtime
}

const MODEL_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'systemPrompt',
  'tools',
  'toolChoice',
  'responseFormat',
  'settings',
  'emit',
  'signal',
])
const READ_ONLY: ReadonlySet<string> = new Set(['messageId', 'streaming', 'state', 'context', 'runtime', 'override'])

/** The engine's {@link ModelRequest}. */
export class LiveModelRequest<K extends Kind = Kind> implements ModelRequest<K> {
  readonly model: Model | string
  readonly messages: readonly Message[]
  readonly systemPrompt: string
  readonly tools: readonly AnyTool[]
  readonly toolChoice: ToolChoice | undefined
  readonly responseFormat: unknown
  readonly settings: ModelSettings
  readonly emit: (delta: Delta) => void | Promise<void>
  readonly signal: AbortSignal
  readonly messageId: string
  readonly streaming: boolean
  readonly #around: Surroundings

  constructor(fields: ModelRequestChange, messageId: string, streaming: boolean, around: Surroundings) {
    this.model = fields.model
    this.messages = fields.messages
    this.systemPrompt = fields.systemPrompt
    this.tools = fields.tools
    this.toolChoice = fields.toolChoice
    this.responseFormat = fields.responseFormat
    this.settings = fields.settings
    this.emit = fields.emit
    this.signal = fields.signal
    this.messageId = messageId
    this.streaming = streaming
    this.#around = around
    Object.freeze(this)
  }

  /** What a request was made with; for the core of its onion. */
  static around(request: LiveModelRequest): Surroundings {
    return request.#around
  }

  get state(): StateOf<K> {
    return this.#around.state as StateOf<K>
  }

  get context(): Readonly<K['context']> {
    return this.#around.context as Readonly<K['context']>
  }

  get runtime(): Runtime<K['context']> {
    return this.#around.runtime as Runtime<K['context']>
  }

  override(change: Partial<ModelRequestChange>): LiveModelRequest<K> {
    for (const key of Object.keys(change)) {
      if (!MODEL_FIELDS.has(key))
        throw new ConfigError(
          `request.override(): "${key}" cannot be changed; expected ${[...MODEL_FIELDS].join(', ')}`,
        )
    }
    return this.changed(change)
  }

  changed(change: Partial<ModelRequestChange>): LiveModelRequest<K> {
    return new LiveModelRequest(
      {
        model: change.model ?? this.model,
        messages: change.messages ?? this.messages,
        systemPrompt: change.systemPrompt ?? this.systemPrompt,
        tools: change.tools ?? this.tools,
        toolChoice: 'toolChoice' in change ? change.toolChoice : this.toolChoice,
        responseFormat: 'responseFormat' in change ? change.responseFormat : this.responseFormat,
        settings: change.settings ?? this.settings,
        emit: change.emit ?? this.emit,
        signal: change.signal ?? this.signal,
      },
      this.messageId,
      this.streaming,
      this.#around,
    )
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Turns what a layer handed to its handler, a request or a spread of one, into a request. @throws StepError */
export function acceptModelRequest(changed: unknown, current: LiveModelRequest, layer: string): LiveModelRequest {
  if (changed instanceof LiveModelRequest) return changed
  if (isObject(changed) && Object.keys(changed).every((key) => MODEL_FIELDS.has(key) || READ_ONLY.has(key))) {
    return current.changed(changed)
  }
  throw notARequest(changed, layer, 'wrapModelCall', 'request.override({ … })')
}

const notARequest = (value: unknown, layer: string, hook: string, instead: string): StepError =>
  new StepError(
    `${hook} of "${layer}": expected the handler to be called with the request or ${instead}, got ${got(value)}`,
    { code: 'LAYER_RESULT' },
  )

/** The engine's {@link ToolCallRequest}. */
export class LiveToolCallRequest<K extends Kind = Kind> implements ToolCallRequest<K> {
  readonly toolCall: CallView & { readonly arguments: string }
  readonly tool: AnyTool | undefined
  readonly #signal: AbortSignal | undefined
  readonly #around: Surroundings & { readonly signal: AbortSignal }

  constructor(
    toolCall: CallView & { readonly arguments: string },
    tool: AnyTool | undefined,
    around: Surroundings & { readonly signal: AbortSignal },
    signal?: AbortSignal,
  ) {
    this.toolCall = toolCall
    this.tool = tool
    this.#signal = signal
    this.#around = around
    Object.freeze(this)
  }

  get state(): StateOf<K> {
    return this.#around.state as StateOf<K>
  }

  get context(): Readonly<K['context']> {
    return this.#around.context as Readonly<K['context']>
  }

  get runtime(): Runtime<K['context']> {
    return this.#around.runtime as Runtime<K['context']>
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.#around.signal
  }

  /** What a request was made with; for the core of its onion. */
  static around(request: LiveToolCallRequest): Surroundings {
    return request.#around
  }

  /** The signal that a layer put in place of the run's, if one did. */
  get ownSignal(): AbortSignal | undefined {
    return this.#signal
  }

  override(change: ToolCallChange): LiveToolCallRequest<K> {
    for (const key of Object.keys(change)) {
      if (key !== 'args' && key !== 'tool' && key !== 'signal') {
        throw new ConfigError(`request.override(): "${key}" cannot be changed; expected args, tool or signal`)
      }
    }
    const toolCall = 'args' in change ? Object.freeze({ ...this.toolCall, args: change.args }) : this.toolCall
    return new LiveToolCallRequest(toolCall, change.tool ?? this.tool, this.#around, change.signal ?? this.#signal)
  }
}

/** Turns what a layer handed to its handler into a request; the call's id and name stay. @throws StepError */
export function acceptToolCallRequest(
  changed: unknown,
  current: LiveToolCallRequest,
  layer: string,
): LiveToolCallRequest {
  if (changed instanceof LiveToolCallRequest) return changed
  if (!isObject(changed)) throw notARequest(changed, layer, 'wrapToolCall', 'request.override({ args, tool, signal })')
  const { toolCall, tool, signal } = changed as Partial<ToolCallRequest>
  const change: ToolCallChange = {}
  if (toolCall !== undefined && toolCall !== current.toolCall) change.args = toolCall.args
  if (tool !== undefined) change.tool = tool
  if (signal !== undefined) change.signal = signal
  return current.override(change)
}
