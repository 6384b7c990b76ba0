import type { Goto } from './command.js'
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
  /** Why the run ends with `goto: 'end'`. @default 'goto' */
  readonly stopReason?: 'limit' | 'goto'
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
