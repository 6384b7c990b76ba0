import { ToolError } from '../errors.js'
import { Scope } from '../internal/scope.js'
import type { CallHost, RuntimeHost } from '../runtime.js'
import { LiveToolRuntime } from '../runtime.js'
import { makeDeps } from './inject.js'
import { type ToolOutcome, toResult } from './result.js'
import type { Scrubber } from './secret.js'
import type { AnyTool } from './tool.js'

/** What a body runs in. */
export interface Body {
  readonly host: RuntimeHost
  readonly toolCallId: string
  readonly attempt: number
  readonly scope: Scope
  readonly scrubber?: Scrubber
  /** Is shown each yield of a generator. */
  readonly onProgress?: (chunk: unknown) => void | Promise<void>
}

/**
 * Runs the body of a tool on validated arguments: makes its dependencies, enters it, drains a generator, normalises
 * what it gives, lets the dependencies go. A promise only where something in it takes time. Rejects with what the body
 * threw, with a `ToolError` of code `TOOL_TIMEOUT`, or with the scope's reason when that is aborted; what comes late is
 * dropped.
 */
export function runBody(tool: AnyTool, args: unknown, body: Body): ToolOutcome | Promise<ToolOutcome> {
  if (tool.timeoutMs === undefined && Object.keys(tool.inject).length === 0) {
    const runtime = new LiveToolRuntime(body.host, new Call(body, body.scope, EMPTY))
    const given = tool.execute?.(args, runtime)
    if (!isLater(given)) return toResult(given, tool)
    return finish(tool, given, body, body.scope)
  }
  return guarded(tool, args, body)
}

const EMPTY = Object.freeze({})

class Call implements CallHost {
  readonly toolCallId: string
  readonly attempt: number
  readonly scope: Scope
  readonly deps: object

  constructor({ toolCallId, attempt }: Body, scope: Scope, deps: object) {
    this.toolCallId = toolCallId
    this.attempt = attempt
    this.scope = scope
    this.deps = deps
  }
}

/** A body with a time limit or with dependencies. */
async function guarded(tool: AnyTool, args: unknown, body: Body): Promise<ToolOutcome> {
  const { timeoutMs } = tool
  const scope = timeoutMs === undefined ? body.scope : new Scope(body.scope)
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          scope.abort(
            new ToolError(`The tool "${tool.name}" did not finish within ${timeoutMs} ms; what it did is not known.`, {
              code: 'TOOL_TIMEOUT',
            }),
          )
        }, timeoutMs)
  const deps = makeDeps(tool, (values) => new LiveToolRuntime(body.host, new Call(body, scope, values)), body.scrubber)
  try {
    if (deps.ready) await scope.race(deps.ready)
    const given = tool.execute?.(args, new LiveToolRuntime(body.host, new Call(body, scope, deps.values)))
    return isLater(given) ? await finish(tool, given, body, scope) : toResult(given, tool)
  } finally {
    clearTimeout(timer)
    if (scope !== body.scope) scope.close()
    await deps.dispose()
  }
}

type Later = PromiseLike<unknown> | AsyncIterator<unknown> | Iterator<unknown>

const isLater = (value: unknown): value is Later =>
  typeof value === 'object' &&
  value !== null &&
  (typeof (value as PromiseLike<unknown>).then === 'function' || isGenerator(value))

const isGenerator = (value: object): value is AsyncIterator<unknown> =>
  typeof (value as Iterator<unknown>).next === 'function' &&
  typeof (value as Iterator<unknown>).return === 'function' &&
  (Symbol.asyncIterator in value || Symbol.iterator in value)

async function finish(tool: AnyTool, given: Later, body: Body, scope: Scope): Promise<ToolOutcome> {
  const value = isGenerator(given) ? await drain(given, body, scope) : await scope.race(Promise.resolve(given))
  if (typeof value === 'object' && value !== null && isGenerator(value))
    return toResult(await drain(value, body, scope), tool)
  return toResult(value, tool)
}

/** The returned value of a generator, else its last yield; each yield is progress. */
async function drain(generator: AsyncIterator<unknown>, body: Body, scope: Scope): Promise<unknown> {
  let last: unknown
  try {
    for (;;) {
      const step = await scope.race(Promise.resolve(generator.next()))
      if (step.done) return step.value === undefined ? last : step.value
      last = step.value
      const shown = body.onProgress?.(last)
      if (shown) await scope.race(shown)
    }
  } catch (error) {
    // A generator that is still busy closes when it comes to; nobody waits for that.
    if (scope.aborted) Promise.resolve(generator.return?.()).catch(() => {})
    throw error
  }
}
