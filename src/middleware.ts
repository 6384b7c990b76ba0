import type { Command } from './command.js'
import { ConfigError, got } from './errors.js'
import { ANYTHING, BOOLEAN, checkValue, isFunction, NAME, nearest, type Rule, type Rules } from './internal/check.js'
import type { EmptyKind, Kind, Kinded, KindFrom, StateOf, UpdateOf } from './kind.js'
import type { Next } from './onion.js'
import type { ModelLayer, RunContext, ToolCallRequest, ToolLayer, TurnContext, Verdict } from './requests.js'
import type { Runtime } from './runtime.js'
import type { AnyTool } from './tools/tool.js'

/** A step of the run: entered once a leg. An ordinary Koa middleware fits. */
export type RunStep<K extends Kind = Kind> = (run: RunContext<K>, next: Next) => unknown

/** A step of the turn: entered once a leg. */
export type TurnStep<K extends Kind = Kind> = (turn: TurnContext<K>, next: Next) => unknown

/** What a hook may give back: an update, a command, or nothing. */
export type HookReturn<K extends Kind = Kind> =
  | (UpdateOf<K> & { '~command'?: never })
  | Command<UpdateOf<K>>
  | void
  | undefined

/** Runs before or after an agent or a model call. Of what it returns only the given keys are applied. */
export type Hook<K extends Kind = Kind> = (
  state: StateOf<K>,
  runtime: Runtime<K['context']>,
) => HookReturn<K> | Promise<HookReturn<K>>

/** The tools of a middleware: a list, or a function that is asked again every turn. */
export type ToolSource<K extends Kind = Kind> =
  | readonly AnyTool[]
  | ((turn: TurnContext<K>) => readonly AnyTool[] | Promise<readonly AnyTool[]>)

/** Everything that a middleware may hook into. */
export interface Hooks<K extends Kind = Kind> {
  tools?: ToolSource<K>
  /** Round the whole run. */
  wrapRun?: RunStep<K>
  /** Round each turn. */
  wrapTurn?: TurnStep<K>
  /** Round each model call; the handler may be called again. */
  wrapModelCall?: ModelLayer<K>
  /** Round each tool call; the handler may be called again. */
  wrapToolCall?: ToolLayer<K>
  /** Policy on the effective call, just before execution. */
  authorizeToolCall?: (request: ToolCallRequest<K> & { readonly tool: AnyTool }) => Verdict | Promise<Verdict>
  beforeAgent?: Hook<K>
  beforeModel?: Hook<K>
  afterModel?: Hook<K>
  afterAgent?: Hook<K>
}

/** Where a middleware must stand in a stack. Names are those of other middleware; what is not there does not count. */
export interface Order {
  before?: string | readonly string[]
  after?: string | readonly string[]
  outermost?: boolean
  innermost?: boolean
}

/** A named middleware. `'~kind'` carries its types; a plain object or class instance with the same hooks fits too. */
export interface Middleware<K extends Kind = Kind> extends Kinded<K> {
  readonly name: string
}

/** A middleware, or a plain function: a step of the run. */
export type AnyMiddleware = Middleware | RunStep

/** What the engine reads of a middleware. */
export interface Definition extends Hooks, Order {
  readonly name: string
  readonly stateSchema?: unknown
  readonly contextSchema?: unknown
  /** The parts of a stack made by `compose`. */
  readonly stack?: readonly AnyMiddleware[]
}

/** A middleware in its place: the name that it has there, a nested stack's name in front. */
export interface Placed {
  readonly name: string
  readonly definition: Definition
}

const HOOKS = [
  'wrapRun',
  'wrapTurn',
  'wrapModelCall',
  'wrapToolCall',
  'authorizeToolCall',
  'beforeAgent',
  'beforeModel',
  'afterModel',
  'afterAgent',
] as const

const NAMES: Rule = [(value) => [value].flat().every((name) => typeof name === 'string'), 'a name or an array of names']
const FUNCTION: Rule = [isFunction, 'a function']
const RULES: Rules = {
  ...Object.fromEntries(HOOKS.map((hook) => [hook, FUNCTION])),
  name: ANYTHING,
  tools: [(value) => Array.isArray(value) || isFunction(value), 'an array or a function (turn) => tools'],
  stateSchema: ANYTHING,
  contextSchema: ANYTHING,
  stack: ANYTHING,
  before: NAMES,
  after: NAMES,
  outermost: BOOLEAN,
  innermost: BOOLEAN,
  '~kind': ANYTHING,
}
const KEYS = Object.keys(RULES)

/**
 * Makes a middleware. The hooks' types follow from `stateSchema` (a record of fields, or a `z.object`) and
 * `contextSchema`. The object is kept as it is, so hooks may use `this`.
 *
 * @example
 * const count = createMiddleware({
 *   name: 'count',
 *   stateSchema: { calls: field(z.number().default(0), { reducer: (sum, n: number) => sum + n }) },
 *   wrapToolCall: async (request, handler) => withUpdate(await handler(request), { calls: 1 }),
 * })
 * @throws ConfigError for a missing name, a hook that is no function, or a misspelt key.
 */
export function createMiddleware<const S = {}, C = {}>(
  definition: { name: string; stateSchema?: S; contextSchema?: C } & Order & Hooks<KindFrom<S, C>>,
): Middleware<KindFrom<S, C>> {
  checkDefinition(definition, 'createMiddleware()')
  return definition
}

/** A middleware of one model layer. Its name is given by kind and position, e.g. `model#2`. */
export const wrapModelCall = (layer: ModelLayer): Middleware<EmptyKind> => unnamed('model', { wrapModelCall: layer })

/** A middleware of one tool layer. Its name is given by kind and position, e.g. `tool#2`. */
export const wrapToolCall = (layer: ToolLayer): Middleware<EmptyKind> => unnamed('tool', { wrapToolCall: layer })

const UNNAMED = new WeakMap<object, string>()

function unnamed(kind: string, hooks: Hooks): Middleware<EmptyKind> {
  const definition = { name: kind, ...hooks }
  checkDefinition(definition, `wrap${kind === 'model' ? 'Model' : 'Tool'}Call()`)
  UNNAMED.set(definition, kind)
  return definition
}

/** The kind of a middleware that nobody named: `run`, `model` or `tool`. */
export const unnamedKind = (middleware: unknown): string | undefined =>
  typeof middleware === 'function' ? 'run' : UNNAMED.get(middleware as object)

/** Checks what an app hands in as a middleware and reads it. @throws ConfigError naming `subject`. */
export function checkDefinition(value: unknown, subject: string): Definition {
  if (typeof value !== 'object' || value === null) {
    throw new ConfigError(
      `${subject}: expected a middleware made by createMiddleware(), or a function (run, next), got ${got(value)}`,
    )
  }
  const definition = value as Record<string, unknown>
  checkValue(definition.name, NAME, `${subject}: expected name`)
  const named = `${subject}: middleware "${definition.name}"`
  for (const key of KEYS) {
    if (definition[key] !== undefined) checkValue(definition[key], RULES[key] as Rule, `${named}: expected ${key}`)
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) checkKeys(definition, named)
  return value as Definition
}

/** A field of its own is a middleware's right; a function or a near miss of a known key is a slip. */
function checkKeys(definition: Record<string, unknown>, subject: string): void {
  for (const key of Object.keys(definition)) {
    if (KEYS.includes(key)) continue
    const meant = nearest(key, KEYS)
    if (meant === undefined && typeof definition[key] !== 'function') continue
    throw new ConfigError(
      `${subject}: unknown hook "${key}"${meant ? `; did you mean "${meant}"?` : `; known: ${HOOKS.join(', ')}`}`,
    )
  }
}
