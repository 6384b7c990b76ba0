import type { ToolErrors } from './batch.js'
import type { Checkpointer } from './checkpointers/checkpointer.js'
import { ConfigError } from './errors.js'
import { thaw } from './internal/freeze.js'
import type { SchemaOutput } from './internal/standard-schema.js'
import type { EmptyKind, Flat, Kind, KindFrom, KindOf, NoClash, OutputKind, UpdateOf } from './kind.js'
import type { Emit } from './log/ledger.js'
import type { Message } from './messages.js'
import type { AnyMiddleware } from './middleware.js'
import type { Model, ModelSettings, ToolChoice } from './models/model.js'
import { checkAgentOptions, readOrder } from './options.js'
import type { RunResult } from './requests.js'
import { Run } from './run.js'
import { type ChildAgent, type ParentLink, RUN_AS_CHILD } from './runtime.js'
import type { Spec } from './spec.js'
import { buildStack } from './stack.js'
import type { Store } from './stores/store.js'
import { type AgentStream, EventQueue, streamOf } from './stream.js'
import { readFormat } from './structured.js'
import { subAgentTool } from './sub-agent.js'
import type { AnyTool } from './tools/tool.js'

/** What a run is given: a string (a user message), messages, or `{ messages?, …state }`. */
export type Input<K extends Kind = Kind> = string | readonly Message[] | Flat<UpdateOf<K>>

/** Options of a run. */
export interface RunOptions {
  /** The thread to go on with; needs a checkpointer. */
  threadId?: string | undefined
  /** Ends the run; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Tools of this run alone. */
  tools?: readonly AnyTool[] | undefined
  tags?: readonly string[] | undefined
  metadata?: Readonly<Record<string, unknown>> | undefined
  callbacks?: unknown
  /** Overrides the agent's. */
  maxTurns?: number | undefined
  /** What happens while another run has the thread: `'reject'` throws a `ConflictError`. */
  onConflict?: 'reject' | undefined
}

type Invoke<K extends Kind, Result> = {} extends K['contextInput']
  ? (input: Input<K>, options?: RunOptions & { context?: Flat<K['contextInput']> | undefined }) => Result
  : (input: Input<K>, options: RunOptions & { context: Flat<K['contextInput']> }) => Result

/** A model, tools and a stack of middleware. Immutable from its first run on, and safe to share between runs. */
export interface Agent<K extends Kind = Kind, Output extends OutputKind = OutputKind> {
  readonly name: string
  /** Runs to the end. Rejects with what a model, a tool or a middleware threw; see `errorInfo`. */
  invoke: Invoke<K, Promise<RunResult<K, Output>>>
  /** Starts at once and streams what happens. */
  stream: Invoke<K, AgentStream<K, Output>>
  /** Adds a middleware in place, innermost, as in Koa; gives the agent, typed wider. @throws ConfigError after the first run. */
  use<const M extends AnyMiddleware>(middleware: M & NoClash<KindOf<[M], K>>): Agent<KindOf<[M], K>, Output>
  /** A copy with more middleware, innermost. */
  with<const M extends readonly AnyMiddleware[]>(...middleware: M & NoClash<KindOf<M, K>>): Agent<KindOf<M, K>, Output>
  /** This agent as a tool of another: it takes `{ input }` and gives its output. */
  asTool(options: { name: string; description: string }): AnyTool
}

/** Options of {@link createAgent}. */
export interface AgentOptions<
  S = unknown,
  C = unknown,
  F = unknown,
  M = readonly AnyMiddleware[],
  T = readonly AnyTool[],
> {
  /** A model, or `provider:model`. */
  model: Model | string
  /** @default 'agent' */
  name?: string | undefined
  tools?: T | undefined
  /** The first is the outermost. A plain function is a step of the run. */
  middleware?: M
  systemPrompt?: string | undefined
  /** State fields of the agent's own: a record of schemas and `field(…)`, or a `z.object`. */
  stateSchema?: S | undefined
  contextSchema?: C | undefined
  /** A schema, or `{ schema, strategy: 'auto' | 'native' | 'tool', repairs }`: the run ends with a validated answer. */
  responseFormat?: F | undefined
  /** A forced choice falls back to `'auto'` after the first round of tools. */
  toolChoice?: ToolChoice | undefined
  settings?: ModelSettings | undefined
  checkpointer?: Checkpointer | undefined
  store?: Store | undefined
  /** Turns that a run may enter. @default 25 */
  maxTurns?: number | undefined
  /** Tool calls of a turn that run at once. @default Infinity */
  toolConcurrency?: number | undefined
  /** What becomes of an exception of a tool. By default an error result with its message. */
  toolErrors?: ToolErrors | undefined
  /** @default 'reject' */
  onConflict?: 'reject' | undefined
}

type StructuredOf<F> = F extends { readonly schema: infer S } ? SchemaOutput<S> : SchemaOutput<F>

/**
 * Makes an agent.
 *
 * @example
 * const agent = createAgent({ model: 'openai:gpt-5.4', tools: [weather], middleware: [modelRetry()] })
 * const { output } = await agent.invoke('Will it rain in Oslo?')
 * @throws ConfigError for what is not as expected, saying what came and what to do.
 */
export function createAgent<
  const M extends readonly AnyMiddleware[],
  const T extends readonly AnyTool[] = [],
  const S = {},
  C = {},
  F = undefined,
>(
  options: AgentOptions<S, C, F, M & NoClash<KindOf<M, KindOf<T, KindFrom<S, C>>>>, T>,
): Agent<KindOf<M, KindOf<T, KindFrom<S, C>>>, { structured: StructuredOf<F> }> {
  checkAgentOptions(options)
  const made: unknown = new LiveAgent(options, options.middleware ?? [])
  return made as Agent<KindOf<M, KindOf<T, KindFrom<S, C>>>, { structured: StructuredOf<F> }>
}

class LiveAgent implements Agent<EmptyKind>, ChildAgent<Input, RunResult> {
  readonly name: string
  readonly #options: AgentOptions
  #middleware: readonly AnyMiddleware[]
  #spec: Spec
  #ran = false

  constructor(options: AgentOptions, middleware: readonly AnyMiddleware[]) {
    this.name = options.name ?? 'agent'
    this.#options = options
    this.#middleware = [...middleware]
    this.#spec = build(options, this.#middleware)
  }

  invoke = (input: Input, options?: object): Promise<RunResult<EmptyKind>> => {
    try {
      return this.#run(input, options).execute()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  stream = (input: Input, options?: object): AgentStream<EmptyKind> => {
    const queue = new EventQueue()
    return streamOf(this.#run(input, options, queue), queue)
  }

  async [RUN_AS_CHILD](input: Input, options: object, parent: ParentLink): Promise<RunResult> {
    this.#ran = true
    const { host } = parent
    const emit: Emit | undefined = host.ledger.listening ? (event) => host.forward(event) : undefined
    return new Run(this.#spec, readOrder(input, options, this.#spec, parent), emit).execute()
  }

  #run(input: Input, options: object | undefined, queue?: EventQueue): Run {
    this.#ran = true
    return new Run(this.#spec, readOrder(input, options, this.#spec), queue && ((event) => queue.emit(event)))
  }

  use(middleware: AnyMiddleware): never {
    if (this.#ran)
      throw new ConfigError(
        'agent.use(): the agent has run and is immutable; agent.with(middleware) gives a changed copy',
      )
    const more = [...this.#middleware, middleware]
    this.#spec = build(this.#options, more)
    this.#middleware = more
    return this as never
  }

  with(...middleware: readonly AnyMiddleware[]): never {
    return new LiveAgent(this.#options, [...this.#middleware, ...middleware]) as never
  }

  asTool(options: { name: string; description: string }): AnyTool {
    return subAgentTool(this, options)
  }
}

function build(options: AgentOptions, middleware: readonly AnyMiddleware[]): Spec {
  const { model, systemPrompt = '', toolChoice, responseFormat, settings = {}, stateSchema, contextSchema } = options
  readFormat(responseFormat)
  return {
    name: options.name ?? 'agent',
    stack: buildStack(middleware, { tools: options.tools ?? [], stateSchema, contextSchema }),
    request: { model, systemPrompt, toolChoice, responseFormat, settings: Object.freeze(thaw(settings)) },
    checkpointer: options.checkpointer,
    store: options.store,
    maxTurns: options.maxTurns ?? 25,
    toolConcurrency: options.toolConcurrency ?? Number.POSITIVE_INFINITY,
    toolErrors: options.toolErrors,
    models: new Map(),
  }
}
