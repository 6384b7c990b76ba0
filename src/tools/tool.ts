import { ConfigError, got } from '../errors.js'
import type { SchemaOutput, Validation } from '../internal/standard-schema.js'
import type { EmptyKind, Kind, Kinded, KindFrom } from '../kind.js'
import type { JsonSchema, ToolDefinition } from '../models/model.js'
import type { ToolRuntime } from '../runtime.js'
import { checkArgumentNames, toObjectSchema, validator, withoutNulls } from './schema.js'

/** Whether a body may run again by itself: never, with the same idempotency key, or freely. */
export type RetryKind = 'never' | 'keyed' | 'safe'

/** How one dependency of a tool is made, per call. */
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
  /** Checks a result by `outputSchema`; absent without one. */
  parseOutput?(value: unknown): Validation | Promise<Validation>
  /** The body; absent from a headless tool and from a tool that the provider runs. */
  execute?(args: unknown, runtime: ToolRuntime): unknown
  /** A changed copy. */
  with(change: { name?: string; description?: string }): AnyTool
  /** The client's half of a headless tool: a copy with a body. */
  implement(fn: { bivariant(args: unknown, runtime: ToolRuntime): unknown }['bivariant']): AnyTool
}

/** A tool whose types are known: its name, and what it asks of an agent's state and context. */
export interface Tool<Name extends string = string, K extends Kind = EmptyKind> extends AnyTool, Kinded<K> {
  readonly name: Name
}

/** Options of {@link tool}. */
export interface ToolOptions<Name extends string = string, S = unknown, C = unknown, St = unknown, D = unknown> {
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
  /** Dependencies: each function runs once per call; their values are `runtime.deps`. */
  inject?: D
  /** End the run with this tool's output, if every call of the turn is to such a tool and succeeded. @default false */
  returnDirect?: boolean
  /** `'content_and_artifact'`: the function returns `[content, artifact]`. @default 'content' */
  responseFormat?: 'content' | 'content_and_artifact'
  /** Checks the answer of a headless tool. */
  outputSchema?: unknown
  /** Time limit of the body, in milliseconds; past it the call is an error result. None by default. */
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

type ArgsOf<S> = unknown extends SchemaOutput<S> ? Record<string, unknown> : SchemaOutput<S>
type DepsOf<D> = { readonly [P in keyof D]: D[P] extends (...given: never[]) => infer Value ? Awaited<Value> : never }
type Body<S, C, St, D> = {
  bivariant(
    args: ArgsOf<S>,
    runtime: ToolRuntime<KindFrom<St, C>['state'], KindFrom<St, C>['context'], DepsOf<D>>,
  ): unknown
}['bivariant']

const KEYS = [
  'name',
  'description',
  'schema',
  'contextSchema',
  'stateSchema',
  'inject',
  'returnDirect',
  'responseFormat',
  'outputSchema',
  'timeoutMs',
  'sequential',
  'retry',
  'metadata',
  'strict',
  'execute',
] as const

const BRAND = Symbol.for('cepa.tool')

/** Tells whether a value is a tool of Cepa's, also of another copy of the package. */
export const isTool = (value: unknown): value is AnyTool =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true

/**
 * Makes a tool: `tool(fn, options)` or `tool({ …options, execute })`. Without a function it is a headless tool, whose
 * calls somebody outside answers. The arguments' type follows from `schema`.
 *
 * @example
 * const weather = tool(({ city }) => fetchWeather(city), {
 *   name: 'weather',
 *   description: 'The weather of a city.',
 *   schema: z.object({ city: z.string() }),
 * })
 * @throws ConfigError for an option that is not what it must be, naming the tool.
 */
export function tool<
  const Name extends string = string,
  S = undefined,
  C = {},
  St = {},
  D extends Record<string, Inject> = {},
>(fn: Body<S, C, St, D>, options: ToolOptions<Name, S, C, St, D>): Tool<Name, KindFrom<St, C>>
export function tool<
  const Name extends string = string,
  S = undefined,
  C = {},
  St = {},
  D extends Record<string, Inject> = {},
>(options: ToolOptions<Name, S, C, St, D> & { execute?: Body<S, C, St, D> }): Tool<Name, KindFrom<St, C>>
export function tool(first: unknown, second?: unknown): AnyTool {
  const [fn, given] =
    typeof first === 'function' ? [first, second] : [(first as { execute?: unknown } | undefined)?.execute, first]
  const options = checked(fn, given)
  return make(options, fn as AnyTool['execute'] | undefined)
}

/** A tool that the provider runs itself, e.g. `{ type: 'web_search' }`: passed through, never executed here. @throws ConfigError */
export function providerTool(definition: { readonly type: string; readonly [key: string]: unknown }): AnyTool {
  if (
    typeof definition !== 'object' ||
    definition === null ||
    typeof definition.type !== 'string' ||
    definition.type === ''
  ) {
    throw new ConfigError(`providerTool(): expected the provider's own shape { type, … }, got ${got(definition)}`)
  }
  const { type, name } = definition
  const base = make(
    { name: typeof name === 'string' && name !== '' ? name : type, description: `Run by the provider: ${type}.` },
    undefined,
  )
  return Object.freeze(
    Object.defineProperty({ ...base, provider: Object.freeze({ ...definition }) }, BRAND, { value: true }),
  )
}

type Options = ToolOptions<string, unknown, unknown, unknown, Record<string, Inject>> & { name: string }

function checked(fn: unknown, given: unknown): Options {
  if (typeof given !== 'object' || given === null)
    throw new ConfigError(`tool(): expected options { name, description, schema, … }, got ${got(given)}`)
  if (fn !== undefined && typeof fn !== 'function')
    throw new ConfigError(`tool(): expected execute to be a function, got ${got(fn)}`)
  const options = given as Record<string, unknown>
  const name = options.name === undefined ? ((fn as { name?: string } | undefined)?.name ?? '') : options.name
  const own = name === 'execute' && options.name === undefined ? '' : name
  if (typeof own !== 'string' || own === '') {
    throw new ConfigError(
      `tool(): expected a name that is not empty, got ${got(options.name)}; name the function, or give { name }`,
    )
  }
  const subject = `tool "${own}"`
  for (const key of Object.keys(options)) {
    if (!(KEYS as readonly string[]).includes(key))
      throw new ConfigError(`${subject}: unknown option "${key}"; expected one of ${KEYS.join(', ')}`)
  }
  const expect = (key: (typeof KEYS)[number], fits: (value: unknown) => boolean, words: string): void => {
    if (options[key] !== undefined && !fits(options[key]))
      throw new ConfigError(`${subject}: expected ${key} to be ${words}, got ${got(options[key])}`)
  }
  const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (typeof options.description !== 'string' || options.description === '') {
    throw new ConfigError(
      `${subject}: expected a description, which is what the model reads, got ${got(options.description)}`,
    )
  }
  expect('returnDirect', isBoolean, 'true or false')
  expect('sequential', isBoolean, 'true or false')
  expect('strict', isBoolean, 'true or false')
  expect(
    'responseFormat',
    (value) => value === 'content' || value === 'content_and_artifact',
    "'content' or 'content_and_artifact'",
  )
  expect('retry', (value) => value === 'never' || value === 'keyed' || value === 'safe', "'never', 'keyed' or 'safe'")
  expect(
    'timeoutMs',
    (value) => typeof value === 'number' && value > 0 && value <= 2_147_483_647,
    'a number of milliseconds from 1 to 2147483647',
  )
  expect('metadata', isRecord, 'an object')
  expect(
    'inject',
    (value) => isRecord(value) && Object.values(value).every((make) => typeof make === 'function'),
    'a record of functions',
  )
  return { ...(options as unknown as Options), name: own }
}

function make(options: Options, fn: AnyTool['execute'] | undefined): AnyTool {
  const { name, description, schema, strict = false } = options
  const subject = `tool "${name}"`
  const inputSchema = toObjectSchema(schema, subject)
  checkArgumentNames(inputSchema, subject)
  return assemble(options, fn, inputSchema, parser(schema, inputSchema, strict, subject), description)
}

function parser(schema: unknown, inputSchema: JsonSchema, strict: boolean, subject: string): AnyTool['parse'] {
  const validate = validator(schema, subject)
  return strict ? (args) => validate(withoutNulls(inputSchema, args)) : validate
}

function assemble(
  options: Options,
  fn: AnyTool['execute'] | undefined,
  inputSchema: JsonSchema,
  parse: AnyTool['parse'],
  description: string,
): AnyTool {
  const { name, metadata, contextSchema, stateSchema, outputSchema, strict } = options
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
    with: (change) => {
      const { name: newName = name, description: newDescription = description, ...rest } = change
      const unknown = Object.keys(rest)[0]
      if (unknown !== undefined)
        throw new ConfigError(`tool "${name}".with(): unknown key "${unknown}"; expected name or description`)
      if (typeof newName !== 'string' || newName === '')
        throw new ConfigError(
          `tool "${name}".with(): expected name to be a string that is not empty, got ${got(newName)}`,
        )
      return assemble({ ...options, name: newName }, fn, inputSchema, parse, newDescription)
    },
    implement: (body) => {
      if (typeof body !== 'function')
        throw new ConfigError(`tool "${name}".implement(): expected a function, got ${got(body)}`)
      return assemble(options, body, inputSchema, parse, description)
    },
  }
  if (metadata !== undefined) made.metadata = Object.freeze({ ...metadata })
  if (contextSchema !== undefined) made.contextSchema = contextSchema
  if (stateSchema !== undefined) made.stateSchema = stateSchema
  if (outputSchema !== undefined) made.outputSchema = outputSchema
  if (strict) made.strict = true
  if (fn !== undefined) made.execute = fn
  return Object.freeze(Object.defineProperty(made, BRAND, { value: true }))
}
