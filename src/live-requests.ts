import { ConfigError, got, StepError } from './errors.js'
import type { Delta } from './events.js'
import type { Kind, StateOf } from './kind.js'
import type { CallView, Message } from './messages.js'
import type { Model, ModelSettings, ToolChoice } from './models/model.js'
import type { ModelRequest, ModelRequestChange, ToolCallChange, ToolCallRequest } from './requests.js'
import type { Runtime } from './runtime.js'
import type { AnyTool } from './tools/tool.js'

/** What the two requests read of the turn that they belong to. */
export interface Surroundings {
  readonly state: object
  readonly context: object
  readonly runtime: Runtime
}

const joinSignals = (own: AbortSignal | undefined, runs: AbortSignal): AbortSignal =>
  own === undefined ? runs : AbortSignal.any([own, runs])

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
  readonly messageId: string
  readonly streaming: boolean
  readonly #signal: AbortSignal | undefined
  #joined: AbortSignal | undefined
  readonly #around: Surroundings & { readonly signal: AbortSignal }

  constructor(
    fields: Omit<ModelRequestChange, 'signal'> & { signal?: AbortSignal | undefined },
    messageId: string,
    streaming: boolean,
    around: Surroundings & { readonly signal: AbortSignal },
  ) {
    this.model = fields.model
    this.messages = fields.messages
    this.systemPrompt = fields.systemPrompt
    this.tools = fields.tools
    this.toolChoice = fields.toolChoice
    this.responseFormat = fields.responseFormat
    this.settings = fields.settings
    this.emit = fields.emit
    this.#signal = fields.signal
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

  // A signal costs something to make, so it waits until somebody asks.
  get signal(): AbortSignal {
    this.#joined ??= joinSignals(this.#signal, this.#around.signal)
    return this.#joined
  }

  /** The signal that a layer put in place of the run's, if one did. */
  get ownSignal(): AbortSignal | undefined {
    return this.#signal
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
        // A layer may go on using its array; what was offered must not change with it.
        messages: change.messages ? [...change.messages] : this.messages,
        systemPrompt: change.systemPrompt ?? this.systemPrompt,
        tools: change.tools ? Object.freeze([...change.tools]) : this.tools,
        toolChoice: 'toolChoice' in change ? change.toolChoice : this.toolChoice,
        responseFormat: 'responseFormat' in change ? change.responseFormat : this.responseFormat,
        settings: change.settings ?? this.settings,
        emit: change.emit ?? this.emit,
        signal: change.signal ?? this.#signal,
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
  #joined: AbortSignal | undefined
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
    this.#joined ??= joinSignals(this.#signal, this.#around.signal)
    return this.#joined
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

/** Updates are a list of records. @throws StepError naming the layer. */
export function checkUpdates(updates: unknown, hook: string, layer: string): void {
  if (updates === undefined || (Array.isArray(updates) && updates.every(isObject))) return
  throw new StepError(
    `${hook} of "${layer}": expected updates to be a list of records, got ${got(updates)}; use withUpdate()`,
    {
      code: 'LAYER_RESULT',
    },
  )
}
