import {
  type AnyMiddleware,
  allow,
  ConfigError,
  compose,
  createMiddleware,
  type Definition,
  type EmptyKind,
  type Hook,
  type Kind,
  type Middleware,
  type ToolCallRequest,
} from 'cepa'

/** What a condition of {@link when} is asked about. */
export interface Circumstances {
  readonly state: object
  readonly context: object
}

/** A middleware whose hooks are passed by where the condition is false. */
export function when<K extends Kind = EmptyKind>(
  condition: (circumstances: Circumstances) => boolean,
  middleware: Middleware<K>,
): Middleware<K> {
  return each(middleware, 'when()', (inner) => conditional(inner, condition)) as Middleware<K>
}

/** The opposite of {@link when}. */
export const unless = <K extends Kind = EmptyKind>(
  condition: (circumstances: Circumstances) => boolean,
  middleware: Middleware<K>,
): Middleware<K> => when((circumstances) => !condition(circumstances), middleware)

/** A middleware whose tool layer and policy see only the calls of some tools: by name, or by a test of the request. */
export function forTools<K extends Kind = EmptyKind>(
  tools: readonly string[] | ((request: ToolCallRequest) => boolean),
  middleware: Middleware<K>,
): Middleware<K> {
  const applies = typeof tools === 'function' ? tools : ({ toolCall }: ToolCallRequest) => tools.includes(toolCall.name)
  const only = (inner: Definition): Definition => ({ ...bound(inner), ...toolHooks(inner, applies) })
  return each(middleware, 'forTools()', only) as Middleware<K>
}

/** Changes a middleware; of a stack, each part. @throws ConfigError for what is no middleware */
function each(middleware: unknown, subject: string, change: (inner: Definition) => Definition): Middleware {
  if (typeof middleware !== 'object' || middleware === null)
    throw new ConfigError(`${subject}: expected a middleware made by createMiddleware(), got ${typeof middleware}`)
  const inner: Definition = createMiddleware(middleware as Definition)
  if (inner.stack === undefined) return change(inner)
  const parts = inner.stack.map((part) => each(asMiddleware(part), subject, change))
  return compose(inner.name, parts)
}

const asMiddleware = (part: AnyMiddleware): Middleware =>
  typeof part === 'function' ? createMiddleware({ name: 'run', wrapRun: part }) : part

type Open<T> = { -readonly [P in keyof T]: T[P] }

const DATA = ['name', 'stateSchema', 'contextSchema', 'before', 'after', 'outermost', 'innermost'] as const
const HOOKS = [
  'tools',
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

/** What the engine reads of a middleware, its hooks bound to the middleware itself. */
function bound(inner: Definition): Open<Definition> {
  const copy: Record<string, unknown> = {}
  for (const key of DATA) if (inner[key] !== undefined) copy[key] = inner[key]
  for (const key of HOOKS) {
    const hook: unknown = inner[key]
    if (hook !== undefined) copy[key] = typeof hook === 'function' ? hook.bind(inner) : hook
  }
  return copy as unknown as Open<Definition>
}

/** The tool layer and the policy of a middleware, where they apply. */
function toolHooks(inner: Definition, applies: (request: ToolCallRequest) => boolean): Partial<Definition> {
  const { wrapToolCall, authorizeToolCall } = bound(inner)
  return {
    ...(wrapToolCall && {
      wrapToolCall: (request, handler) => (applies(request) ? wrapToolCall(request, handler) : handler(request)),
    }),
    ...(authorizeToolCall && {
      authorizeToolCall: (request) => (applies(request) ? authorizeToolCall(request) : allow()),
    }),
  }
}

function conditional(inner: Definition, holds: (circumstances: Circumstances) => boolean): Definition {
  const outer = bound(inner)
  const { tools, wrapRun, wrapTurn, wrapModelCall } = outer
  if (tools) outer.tools = (turn) => (!holds(turn) ? [] : typeof tools === 'function' ? tools(turn) : tools)
  if (wrapRun) outer.wrapRun = (run, next) => (holds(run) ? wrapRun(run, next) : next())
  if (wrapTurn) outer.wrapTurn = (turn, next) => (holds(turn) ? wrapTurn(turn, next) : next())
  if (wrapModelCall)
    outer.wrapModelCall = (request, handler) => (holds(request) ? wrapModelCall(request, handler) : handler(request))
  for (const name of ['beforeAgent', 'beforeModel', 'afterModel', 'afterAgent'] as const) {
    const hook: Hook | undefined = outer[name]
    if (hook)
      outer[name] = (state, runtime) => (holds({ state, context: runtime.context }) ? hook(state, runtime) : undefined)
  }
  return { ...outer, ...toolHooks(inner, holds) }
}
