import { freezeDeep, thaw } from '../internal/freeze.js'
import type { SchemaOutput, Validation } from '../internal/standard-schema.js'
import type { EmptyKind, Kind, Kinded, KindFrom } from '../kind.js'
import type { JsonSchema, ToolDefinition } from '../models/model.js'
import type { ToolRuntime } from '../runtime.js'
import { checkArgumentNames, strictValidator, toObjectSchema, validator } from './schema.js'
import {
  type CheckedOptions,
  checkBody,
  checkChange,
  checkOptions,
  checkProviderShape,
  type Execute,
  type Inject,
  type RetryKind,
} from './tool-options.js'

export type { Inject, RetryKind } from './tool-options.js'

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
  /** Checks a result by `outputSchema`; absent without one. */
  parseOutput?(value: unknown): Validation | Promise<Validation>
  /** The body; absent from a headless tool and from a tool that the provider runs. */
  execute?(args: unknown, runtime: ToolRuntime): unknown
  /** A changed copy. */
  with(change: { name?: string; description?: string }): AnyTool
  /** The client's half of a headless tool: a copy with a body. @throws ConfigError for a tool that the provider runs */
  implement(fn: Execute): AnyTool
}

/** A tool whose types are known: its name, what it asks of an agent's state and context, and its arguments. */
export interface Tool<Name extends string = string, K extends Kind = EmptyKind, Args = unknown>
  extends AnyTool,
    Kinded<K> {
  readonly name: Name
  execute?(args: Args, runtime: ToolRuntime): unknown
  with<const Other extends string = Name>(change: { name?: Other; description?: string }): Tool<Other, K, Args>
  implement(fn: { bivariant(args: Args, runtime: ToolRuntime): unknown }['bivariant']): Tool<Name, K, Args>
}

/** Options of {@link tool}. */
export interface ToolOptions<Name extends string = string, S = unknown, C = {}, St = {}, D = {}> {
  /** Any text that is not empty; what a provider refuses is mapped on the wire. By default the function's own name. */
  name?: Name
  /** What the model reads. */
  description: string
  /** Arguments: zod, any Standard Schema that gives JSON Schema, or JSON Schema, with an object root. Without one: no arguments. */
  schema?: S
  /** What the tool needs of the context; merged into the agent's. */
  contextSchema?: C
  /** What the tool needs of the state; merged into the agent's. */
  stateSchema?: St
  /**
   * Dependencies: each function runs once per call, before the body, and may read others by `runtime.deps`; their
   * values are the body's `runtime.deps`. Types are inferred from left to right: where the body comes first, a function
   * that takes the runtime writes its type, `(runtime: ToolRuntime) => …`.
   */
  inject?: InjectOf<D, RuntimeFor<C, St, Readonly<Record<string, unknown>>>>
  /** End the run with this tool's output, if every call of the turn is to such a tool and succeeded. @default false */
  returnDirect?: boolean
  /** `'content_and_artifact'`: the function returns `[content, artifact]`. @default 'content' */
  responseFormat?: 'content' | 'content_and_artifact'
  /** Checks what the body returns, or the answer of a headless tool; what does not fit is a `ToolError`. */
  outputSchema?: unknown
  /**
   * Time limit of the body and its dependencies, in milliseconds, at most 2147483647; past it the body's signal is
   * aborted and the call is an error result of code `TOOL_TIMEOUT`. None by default.
   */
  timeoutMs?: number
  /** Never run in parallel with others of its batch. @default false */
  sequential?: boolean
  /** Whether the body may run again by itself. @default 'never' */
  retry?: RetryKind
  /** For layers to choose by; never sent to a model. */
  metadata?: Readonly<Record<string, unknown>>
  /** Ask the provider to hold the model to the schema. @default false */
  strict?: boolean
}

/** The arguments that a schema makes. JSON Schema has no types to infer from, so there the body says what it takes. */
export type ArgsOf<S> = S extends undefined
  ? {}
  : unknown extends SchemaOutput<S>
    ? Record<string, unknown>
    : SchemaOutput<S>

/** The factories that make the dependencies `D`: each gets the runtime `R`, and may be asynchronous. */
export type InjectOf<D, R> = {
  readonly [P in keyof D]: { bivariant(runtime: R): D[P] | Promise<D[P]> }['bivariant']
}

/** The body of a tool: parsed arguments and the runtime in, any value of the table of return values out. */
export type ToolBody<S, R> = unknown extends SchemaOutput<S> ? BodyOf<S, R> : (args: ArgsOf<S>, runtime: R) => unknown

/** The same where it stands beside `inject`: of a conditional type, `runtime.deps` would be inferred too early. */
type BodyOf<S, R> = { bivariant(args: ArgsOf<S>, runtime: R): unknown }['bivariant']

type RuntimeFor<C, St, D> = ToolRuntime<KindFrom<St, C>['state'], KindFrom<St, C>['context'], D>

const BRAND = Symbol.for('cepa.tool')

/** Tells whether a value is a tool of Cepa's, also of another copy of the package. */
export const isTool = (value: unknown): value is AnyTool =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true

/**
 * Makes a tool: `tool(fn, options)` or `tool({ …options, execute })`; in the second form the name must be given. Without
 * a function it is a headless tool, whose calls somebody outside answers. The arguments' type follows from `schema`.
 *
 * @example
 * const weather = tool(({ city }) => fetchWeather(city), {
 *   name: 'weather',
 *   description: 'The weather of a city.',
 *   schema: z.object({ city: z.string() }),
 * })
 * @throws ConfigError for an option that is not what it must be, naming the tool.
 */
export function tool<const Name extends string = string, S = undefined, C = {}, St = {}, D = {}>(
  fn: ToolBody<S, RuntimeFor<C, St, D>>,
  options: ToolOptions<Name, S, C, St, D>,
): Tool<Name, KindFrom<St, C>, ArgsOf<S>>
export function tool<const Name extends string = string, S = undefined, C = {}, St = {}, D = {}>(
  options: ToolOptions<Name, S, C, St, D> & { name: Name; execute?: BodyOf<S, RuntimeFor<C, St, D>> },
): Tool<Name, KindFrom<St, C>, ArgsOf<S>>
export function tool(first: unknown, second?: unknown): AnyTool {
  return define(typeof first === 'function' ? checkOptions(second, first) : checkOptions(first))
}

/** Makes a tool of options that are checked; its description may be empty. */
export function define(options: CheckedOptions): AnyTool {
  const { name, schema, strict = false, outputSchema } = options
  const subject = `tool "${name}"`
  const inputSchema = freezeDeep(toObjectSchema(schema, subject))
  checkArgumentNames(inputSchema, subject)
  return assemble(options, {
    inputSchema,
    parse: strict ? strictValidator(schema, inputSchema, subject) : validator(schema, subject),
    parseOutput: outputSchema === undefined ? undefined : validator(outputSchema, `the output of ${subject}`),
  })
}

/**
 * A tool that the provider runs itself, in the provider's own shape, e.g. `{ type: 'web_search' }`: passed through, never
 * executed here. It is named after its `name`, else its `type`.
 *
 * @throws ConfigError
 */
export function providerTool(definition: { readonly type: string; readonly [key: string]: unknown }): AnyTool {
  checkProviderShape(definition)
  const { type, name } = definition
  const options = { name: typeof name === 'string' && name !== '' ? name : type, description: '' }
  const provider = freezeDeep(thaw(definition))
  return assemble(options, {
    inputSchema: NO_ARGUMENTS,
    parse: (args) => ({ value: args }),
    parseOutput: undefined,
    provider,
  })
}

const NO_ARGUMENTS: JsonSchema = freezeDeep({ type: 'object', properties: {} })

/** What a tool has that its copies share. */
interface Parts {
  readonly inputSchema: JsonSchema
  readonly parse: AnyTool['parse']
  readonly parseOutput: AnyTool['parse'] | undefined
  readonly provider?: JsonSchema
}

function assemble(options: CheckedOptions, parts: Parts): AnyTool {
  const { name, description, metadata, contextSchema, stateSchema, outputSchema, strict, execute } = options
  const { inputSchema, parse, parseOutput, provider } = parts
  const made: { -readonly [P in keyof AnyTool]: AnyTool[P] } = {
    name,
    description,
    inputSchema,
    returnDirect: options.returnDirect ?? false,
    responseFormat: options.responseFormat ?? 'content',
    timeoutMs: options.timeoutMs,
    sequential: options.sequential ?? false,
    retry: options.retry ?? 'never',
    inject: Object.freeze({ ...options.inject }),
    parse,
    with: (change) => assemble({ ...options, ...checkChange(name, change) }, parts),
    implement: (body) => assemble({ ...options, execute: checkBody(name, body, provider !== undefined) }, parts),
  }
  if (metadata !== undefined) made.metadata = Object.freeze({ ...metadata })
  if (contextSchema !== undefined) made.contextSchema = contextSchema
  if (stateSchema !== undefined) made.stateSchema = stateSchema
  if (outputSchema !== undefined) made.outputSchema = outputSchema
  if (parseOutput !== undefined) made.parseOutput = parseOutput
  if (strict) made.strict = true
  if (provider !== undefined) made.provider = provider
  if (execute !== undefined) made.execute = execute
  return Object.freeze(Object.defineProperty(made, BRAND, { value: true }))
}
