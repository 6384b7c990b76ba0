import type { Message } from './messages.js'
import type { Model, ModelResponse, ModelSettings } from './models/model.js'
import type { Store } from './stores/store.js'
import type { Usage } from './usage.js'

/** A side call of {@link Runtime.generate}. */
export interface SideCall {
  readonly messages: readonly Message[]
  readonly systemPrompt?: string
  readonly settings?: ModelSettings
}

/** What hooks, steps and layers have at hand. All fields also work destructured. */
export interface Runtime<Context = {}> {
  /** Parsed, frozen, given anew for each leg. */
  readonly context: Readonly<Context>
  /** Long-term memory. Reading this without a store is a `ConfigError`. */
  readonly store: Store
  /** As given to the run. */
  readonly config: {
    readonly tags: readonly string[]
    readonly metadata: Readonly<Record<string, unknown>>
    readonly callbacks?: unknown
  }
  readonly executionInfo: { readonly runId: string; readonly threadId: string | null; readonly turn: number }
  /** `null` when the agent is not behind a door. */
  readonly serverInfo: { readonly assistantId?: string; readonly graphId?: string; readonly user?: unknown } | null
  /** Of this run so far, all attempts and side calls included. */
  readonly usage: Usage
  readonly signal: AbortSignal
  /** Streams a `custom` event; nothing happens where nobody listens. */
  writer(chunk: unknown): void
  /** The run's clock. */
  now(): Date
  /** A new id of 32 hexadecimal characters. */
  id(): string
  /** A side call to a model: counted in the run's usage, not streamed, no layer in between. */
  generate(model: Model | string, call: SideCall): Promise<ModelResponse>
}

/** What a tool gets as its second argument. Never part of the schema. */
export interface ToolRuntime<State = {}, Context = {}, Deps = {}> extends Runtime<Context> {
  readonly state: Readonly<{ messages: readonly Message[] } & State>
  /** What the tool's own `inject` makes, on first use, once per call. */
  readonly deps: Deps
  readonly toolCallId: string
  readonly executionInfo: Runtime['executionInfo'] & {
    /** From 1; one more each time that the call's body is entered. */
    readonly attempt: number
    /** `threadId/runId/turn/toolCallId`, each part percent-escaped: the same for every attempt. */
    readonly idempotencyKey: string
  }
}
