import { ConfigError } from './errors.js'
import type { EmptyKind, Kind, Kinded, KindOf } from './kind.js'
import { type AnyMiddleware, checkDefinition, type Definition, type Hook, type Middleware } from './middleware.js'
import type { ToolCallRequest } from './requests.js'

/** What a condition of {@link when} is asked about. */
export interface Circumstances {
  readonly state: object
  readonly context: object
}

/**
 * Nests a stack and keeps its name: the parts appear as `name/part`, and may stand in other stacks under theirs.
 *
 * @example
 * compose('guards', [redact, limit])
 */
export function compose<const M extends readonly AnyMiddleware[]>(name: string, middleware: M): Middleware<KindOf<M>> {
  if (!Array.isArray(middleware)) throw new ConfigError(`compose("${name}"): expected a list of middleware`)
  const definition = { name, stack: middleware }
  checkDefinition(definition, 'compose()')
  return definition
}

/** A middleware whose hooks are passed by where the condition is false. */
export function when<K extends Kind = EmptyKind>(
  condition: (circumstances: Circumstances) => boolean,
  middleware: Middleware<K>,
): Middleware<K> {
  const inner = checkDefinition(middleware, 'when()')
  if (inner.stack)
    return compose(
      inner.name,
      inner.stack.map((part) => when(condition, asMiddleware(part))),
    ) as Kinded<K> & { name: string }
  return conditional(inner, condition)
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
  const inner = checkDefinition(middleware, 'forTools()')
  const applies = typeof tools === 'function' ? tools : ({ toolCall }: ToolCallRequest) => tools.includes(toolCall.name)
  const { wrapToolCall, authorizeToolCall } = inner
  const outer: { -readonly [P in keyof Definition]: Definition[P] } = { ...others(inner) }
  if (wrapToolCall)
    outer.wrapToolCall = (request, handler) =>
      applies(request) ? wrapToolCall.call(inner, request, handler) : handler(request)
  if (authorizeToolCall)
    outer.authorizeToolCall = (request) =>
      applies(request) ? authorizeToolCall.call(inner, request) : { verdict: 'allow' }
  return outer
}

const asMiddleware = (part: AnyMiddleware): Middleware =>
  typeof part === 'function' ? ({ name: 'run', wrapRun: part } as Middleware) : part

/** The fields of a middleware that are no hooks of calls, hooks bound to the middleware itself. */
function others(inner: Definition): Definition {
  const copy: Record<string, unknown> = {}
  for (const key of [
    'name',
    'stateSchema',
    'contextSchema',
    'before',
    'after',
    'outermost',
    'innermost',
    'tools',
    'wrapRun',
    'wrapTurn',
    'wrapModelCall',
    'beforeAgent',
    'beforeModel',
    'afterModel',
    'afterAgent',
  ] as const) {
    const value: unknown = inner[key]
    if (value !== undefined)
      copy[key] =
        typeof value === 'function' && key !== 'stateSchema' && key !== 'contextSchema' ? value.bind(inner) : value
  }
  return copy as unknown as Definition
}

function conditional(inner: Definition, holds: (circumstances: Circumstances) => boolean): Definition {
  const base = others(inner)
  const { tools, wrapRun, wrapTurn, wrapModelCall, beforeAgent, beforeModel, afterModel, afterAgent } = base
  const { wrapToolCall, authorizeToolCall } = inner
  const hook =
    (run: Hook): Hook =>
    (state, runtime) =>
      holds({ state, context: runtime.context }) ? run(state, runtime) : undefined
  const outer: { -readonly [P in keyof Definition]: Definition[P] } = { ...base }
  if (tools) outer.tools = (turn) => (!holds(turn) ? [] : typeof tools === 'function' ? tools(turn) : tools)
  if (wrapRun) outer.wrapRun = (run, next) => (holds(run) ? wrapRun(run, next) : next())
  if (wrapTurn) outer.wrapTurn = (turn, next) => (holds(turn) ? wrapTurn(turn, next) : next())
  if (wrapModelCall)
    outer.wrapModelCall = (request, handler) => (holds(request) ? wrapModelCall(request, handler) : handler(request))
  if (wrapToolCall)
    outer.wrapToolCall = (request, handler) =>
      holds(request) ? wrapToolCall.call(inner, request, handler) : handler(request)
  if (authorizeToolCall)
    outer.authorizeToolCall = (request) =>
      holds(request) ? authorizeToolCall.call(inner, request) : { verdict: 'allow' }
  if (beforeAgent) outer.beforeAgent = hook(beforeAgent)
  if (beforeModel) outer.beforeModel = hook(beforeModel)
  if (afterModel) outer.afterModel = hook(afterModel)
  if (afterAgent) outer.afterAgent = hook(afterAgent)
  return outer
}
