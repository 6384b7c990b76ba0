import { ConfigError } from './errors.js'
import type { AgentEvent } from './events.js'
import { escapePart } from './internal/escape.js'
import { newId } from './internal/id.js'
import type { Scope } from './internal/scope.js'
import type { Message } from './messages.js'
import type { Model, ModelResponse, ModelSettings } from './models/model.js'
import type { Store } from './stores/store.js'
import type { Usage } from './usage.js'

/** A side call of {@link Runtime.generate}. */
export interface SideCall {
  readonly messages: readonly Message[]
  readonly systemPrompt?: string
  /** As the agent's: the response then has a validated `structured`, or the call rejects with a `ModelError`. */
  readonly responseFormat?: unknown
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
  /**
   * Asks the outside and waits for its answer over a pause of the run. Needs a checkpointer that keeps questions:
   * otherwise a `ConfigError`, which no layer and no `toolErrors` turns into a result.
   */
  interrupt<T = unknown>(payload: unknown, options?: { id?: string }): T
  /**
   * Runs `fn` once per run, turn, tool call and key, and gives everybody its value; callers at the same time share one
   * promise. What throws is not remembered.
   */
  once<T>(key: string, fn: () => T | Promise<T>): Promise<T>
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
  /** A sub-agent inside this call: its events, its usage and its budget are this run's; it stops when this call does. */
  child<Input, Result>(agent: ChildAgent<Input, Result>): { invoke(input: Input, options?: object): Promise<Result> }
}

/** How a sub-agent hangs on the call that it runs in. */
export interface ParentLink {
  /** Tool call ids from the outermost agent down to this call. */
  readonly path: readonly string[]
  readonly scope: Scope
  /** The run that the call belongs to: its context, its budget, its listener. */
  readonly host: RuntimeHost
}

/** Under this key an agent can be run as the child of a call; what a runtime needs of an agent. */
export const RUN_AS_CHILD: unique symbol = Symbol.for('cepa.child')

/** An agent, as far as {@link ToolRuntime.child} needs one. */
export interface ChildAgent<Input = never, Result = unknown> {
  [RUN_AS_CHILD](input: Input, options: object, parent: ParentLink): Promise<Result>
}

/** What a runtime reads of the run that it belongs to. */
export interface RuntimeHost {
  readonly runId: string
  readonly threadId: string | null
  readonly context: object
  readonly store: Store | undefined
  readonly config: Runtime['config']
  readonly serverInfo: Runtime['serverInfo']
  readonly usage: Usage
  readonly turns: number
  /** Turns that this run may still enter. */
  readonly turnsLeft: number
  /** Charges a turn of a sub-agent. */
  spendTurn(): void
  readonly path: readonly string[]
  readonly state: object
  readonly scope: Scope
  readonly signal: AbortSignal
  readonly ledger: { readonly listening: boolean }
  /** Streams a chunk, with the call that wrote it. */
  write(chunk: unknown, toolCallId?: string): void
  generate(model: Model | string, call: SideCall): Promise<ModelResponse>
  /** What `once` remembers, by asker and key. */
  readonly remembered: Map<string, Promise<unknown>>
  forward(event: AgentEvent): void | Promise<void>
  addUsage(usage: Usage): void
}

/** The engine's {@link Runtime}: getters only, so that nothing is made before it is asked for. */
export class LiveRuntime implements Runtime {
  readonly #host: RuntimeHost

  constructor(host: RuntimeHost) {
    this.#host = host
  }

  get context(): object {
    return this.#host.context
  }

  get store(): Store {
    const { store } = this.#host
    if (store === undefined)
      throw new ConfigError('runtime.store: the agent has no store; expected createAgent({ store: memoryStore() })')
    return store
  }

  get config(): Runtime['config'] {
    return this.#host.config
  }

  get executionInfo(): Runtime['executionInfo'] {
    const { runId, threadId, turns } = this.#host
    return { runId, threadId, turn: turns }
  }

  get serverInfo(): Runtime['serverInfo'] {
    return this.#host.serverInfo
  }

  get usage(): Usage {
    return this.#host.usage
  }

  get signal(): AbortSignal {
    return this.#host.signal
  }

  get writer(): (chunk: unknown) => void {
    const host = this.#host
    return (chunk) => host.write(chunk)
  }

  get interrupt(): Runtime['interrupt'] {
    const { threadId } = this.#host
    return () => {
      const why = threadId === null ? 'the agent has no checkpointer' : 'its checkpointer keeps no questions'
      throw new ConfigError(
        `runtime.interrupt(): a question must outlive a pause, and ${why}; a headless tool asks without one`,
      )
    }
  }

  get once(): Runtime['once'] {
    return (key, fn) => remember(this.#host, this.asker, key, fn)
  }

  /** Whose `once` this is: a tool call's id; empty for hooks, steps and layers. */
  protected get asker(): string {
    return ''
  }

  get now(): () => Date {
    return () => new Date()
  }

  get id(): () => string {
    return newId
  }

  get generate(): Runtime['generate'] {
    const host = this.#host
    return (model, call) => host.generate(model, call)
  }
}

function remember<T>(
  { remembered, turns }: RuntimeHost,
  asker: string,
  key: string,
  fn: () => T | Promise<T>,
): Promise<T> {
  const place = JSON.stringify([turns, asker, key])
  const known = remembered.get(place)
  if (known) return known as Promise<T>
  const value = (async () => fn())()
  remembered.set(place, value)
  value.catch(() => remembered.delete(place))
  return value
}

/** What a tool's runtime reads of its call. */
export interface CallHost {
  readonly toolCallId: string
  readonly attempt: number
  readonly scope: Scope
  /** Made before the body is entered. */
  readonly deps: object
}

/** The engine's {@link ToolRuntime}. */
export class LiveToolRuntime extends LiveRuntime implements ToolRuntime {
  readonly #host: RuntimeHost
  readonly #call: CallHost

  constructor(host: RuntimeHost, call: CallHost) {
    super(host)
    this.#host = host
    this.#call = call
  }

  get state(): ToolRuntime['state'] {
    return this.#host.state as ToolRuntime['state']
  }

  get deps(): object {
    return this.#call.deps
  }

  get toolCallId(): string {
    return this.#call.toolCallId
  }

  override get executionInfo(): ToolRuntime['executionInfo'] {
    const { runId, threadId, turns } = this.#host
    const { attempt, toolCallId } = this.#call
    const idempotencyKey = [threadId ?? '', runId, String(turns), toolCallId].map(escapePart).join('/')
    return { runId, threadId, turn: turns, attempt, idempotencyKey }
  }

  override get signal(): AbortSignal {
    return this.#call.scope.signal
  }

  override get writer(): (chunk: unknown) => void {
    const host = this.#host
    const { toolCallId } = this.#call
    return (chunk) => host.write(chunk, toolCallId)
  }

  protected override get asker(): string {
    return this.#call.toolCallId
  }

  get child(): ToolRuntime['child'] {
    const host = this.#host
    const { toolCallId, scope } = this.#call
    const parent: ParentLink = { path: [...host.path, toolCallId], scope, host }
    return (agent) => ({
      invoke: (input, options = {}) => agent[RUN_AS_CHILD](input, options, parent),
    })
  }
}
