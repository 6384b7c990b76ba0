import type { Validation } from '../internal/standard-schema.js'
import type { ToolDefinition } from '../models/model.js'
import type { ToolRuntime } from '../runtime.js'

/** Whether a body may run again by itself: never, with the same idempotency key, or freely. */
export type RetryKind = 'never' | 'keyed' | 'safe'

/** How one dependency of a tool is made, per call, on first use. */
export type Inject = { bivariant(runtime: ToolRuntime): unknown }['bivariant']

/** A tool of any arguments. Frozen; shared by every agent that it is given to. */
export interface AnyTool extends ToolDefinition {
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly returnDirect: boolean
  readonly responseFormat: 'content' | 'content_and_artifact'
  readonly timeoutMs: number | undefined
  readonly sequential: boolean
  readonly retry: RetryKind
  readonly inject: Readonly<Record<string, Inject>>
  readonly contextSchema?: unknown
  readonly stateSchema?: unknown
  readonly outputSchema?: unknown
  /** Checks arguments by the tool's own schema and gives them as it makes them. */
  parse(args: unknown): Validation | Promise<Validation>
  /** The body; `undefined` for a headless tool and for a tool that the provider runs. */
  execute?(args: unknown, runtime: ToolRuntime): unknown
  /** A changed copy. */
  with(change: { name?: string; description?: string }): AnyTool
  /** The client's half of a headless tool: a copy with a body. */
  implement(fn: { bivariant(args: unknown, runtime: ToolRuntime): unknown }['bivariant']): AnyTool
}
