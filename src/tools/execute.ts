import { isCommand } from '../command.js'
import { ToolError } from '../errors.js'
import { Scope } from '../internal/scope.js'
import { issuesText } from '../internal/standard-schema.js'
import type { CallHost, RuntimeHost } from '../runtime.js'
import { LiveToolRuntime } from '../runtime.js'
import { type Deps, makeDeps } from './inject.js'
import { tagOf } from './json-text.js'
import { isToolMessage, type ToolOutcome, toResult } from './result.js'
import { Scrubber } from './scrubber.js'
import type { AnyTool } from './tool.js'

/** What a body runs in. */
export interface Body {
  readonly host: RuntimeHost
  readonly toolCallId: string
  /** From 1. */
  readonly attempt: number
  readonly scope: Scope
  /** Learns the tool's secrets, and takes them out of what the body lets out. */
  readonly scrubber?: Scrubber
  /** Is shown each yield of a generator. */
  readonly onProgress?: (chunk: unknown) => void | Promise<void>
  /** Is told what the disposal of a dependency threw; the result stands all the same. */
  readonly onDisposeError?: (error: unknown) => void
}

/** How long a disposal may hold the result up, in milliseconds. */
const DISPOSAL_MS = 5_000

/**
 * Runs the body of a tool on validated arguments: makes its dependencies, enters it, drains a generator, checks the
 * value by `outputSchema`, normalises it, lets the dependencies go. A promise only where something in it takes time.
 * Throws or rejects with what the body threw, with a `ToolError` of code `TOOL_TIMEOUT`, or with the scope's reason when
 * that is aborted; what comes later is dropped.
 */
export function runBody(tool: AnyTool, args: unknown, body: Body): ToolOutcome | Promise<ToolOutcome> {
  if (tool.timeoutMs !== undefined || hasKeys(tool.inject)) return guarded(tool, args, body)
  const given = tool.execute?.(args, runtimeOf(body, body.scope, NO_DEPS))
  return isLater(given) ? settle(tool, given, body, body.scope) : outcome(tool, given, body)
}

const NO_DEPS: object = Object.freeze({})

function hasKeys(record: object): boolean {
  for (const _key in record) return true
  return false
}

function runtimeOf({ host, toolCallId, attempt }: Body, scope: Scope, deps: object): LiveToolRuntime {
  const call: CallHost = { toolCallId, attempt, scope, deps }
  return new LiveToolRuntime(host, call)
}

/** A body with a time limit, or with dependencies. */
async function guarded(tool: AnyTool, args: unknown, given: Body): Promise<ToolOutcome> {
  const body = given.scrubber ? given : { ...given, scrubber: new Scrubber() }
  const limit = tool.timeoutMs === undefined ? undefined : new TimeLimit(tool.name, tool.timeoutMs, body.scope)
  const scope = limit?.scope ?? body.scope
  const deps = makeDeps(tool, (values) => runtimeOf(body, scope, values), body)
  try {
    const made = deps.make()
    const values = made instanceof Promise ? await scope.race(made) : made
    const value = tool.execute?.(args, runtimeOf(body, scope, values))
    return await (isLater(value) ? settle(tool, value, body, scope) : outcome(tool, value, body))
  } catch (error) {
    throw limit?.error ?? body.scrubber?.error(error) ?? error
  } finally {
    limit?.clear()
    await disposed(deps, body)
  }
}

/** The time that a body has. Past it, its own signal is aborted and the call has failed. */
class TimeLimit {
  readonly scope: Scope
  error: ToolError | undefined
  readonly #timer: ReturnType<typeof setTimeout>

  constructor(name: string, ms: number, parent: Scope) {
    const scope = new Scope(parent)
    this.scope = scope
    this.#timer = setTimeout(() => {
      if (scope.aborted) return
      const text = `The tool "${name}" did not finish within ${ms} ms; what it did is not known.`
      this.error = new ToolError(text, { code: 'TOOL_TIMEOUT', retryable: true })
      // What aborts a scope is control flow; the error of the call is an error, so they are two objects.
      scope.abort(new DOMException(text, 'TimeoutError'))
    }, ms)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.scope.close()
  }
}

/** Waits for the disposal, within a bound. */
async function disposed(deps: Deps, body: Body): Promise<void> {
  const disposal = deps.dispose()
  if (disposal === undefined) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      body.onDisposeError?.(new ToolError(`The dependencies were not disposed within ${DISPOSAL_MS} ms.`))
      resolve()
    }, DISPOSAL_MS)
  })
  await Promise.race([disposal, late])
  clearTimeout(timer)
}

type Later = PromiseLike<unknown> | AsyncGenerator<unknown> | Generator<unknown>

const isLater = (value: unknown): value is Later =>
  typeof value === 'object' &&
  value !== null &&
  (typeof (value as { then?: unknown }).then === 'function' || isGenerator(value))

/** Iterators of arrays, maps and streams are values, not progress. */
function isGenerator(value: unknown): value is AsyncGenerator<unknown> | Generator<unknown> {
  if (typeof value !== 'object' || value === null || typeof (value as { next?: unknown }).next !== 'function')
    return false
  const tag = tagOf(value)
  return tag === 'AsyncGenerator' || tag === 'Generator'
}

async function settle(tool: AnyTool, given: Later, body: Body, scope: Scope): Promise<ToolOutcome> {
  const value = isGenerator(given) ? given : await scope.race(Promise.resolve(given))
  return outcome(tool, isGenerator(value) ? await drain(value, body, scope) : value, body)
}

/** The returned value of a generator, else its last yield; each yield is progress. */
async function drain(
  generator: AsyncGenerator<unknown> | Generator<unknown>,
  body: Body,
  scope: Scope,
): Promise<unknown> {
  let last: unknown
  let isOver = false
  try {
    for (;;) {
      scope.check()
      const next = generator.next()
      const step = next instanceof Promise ? await scope.race(next) : next
      if (step.done) {
        isOver = true
        return step.value === undefined ? last : step.value
      }
      last = step.value
      const shown = body.onProgress?.(body.scrubber ? body.scrubber.scrub(last) : last)
      if (shown) await scope.race(shown)
    }
  } finally {
    // One that is still busy closes when it comes to; nobody waits for that.
    if (!isOver) close(generator)
  }
}

function close(generator: AsyncGenerator<unknown> | Generator<unknown>): void {
  try {
    Promise.resolve(generator.return(undefined)).catch(() => {})
  } catch {
    // Its `finally` threw: what ended the call says more.
  }
}

function outcome(tool: AnyTool, value: unknown, body: Body): ToolOutcome | Promise<ToolOutcome> {
  if (tool.parseOutput === undefined || isReady(value)) return normalised(tool, value, body)
  const isPair = tool.responseFormat === 'content_and_artifact' && Array.isArray(value)
  const checked = tool.parseOutput(isPair ? value[0] : value)
  const enter = (validation: Awaited<typeof checked>): ToolOutcome => {
    if (validation.issues) {
      throw new ToolError(
        `The tool "${tool.name}" gave what does not fit its outputSchema: ${issuesText(validation.issues)}.`,
      )
    }
    return normalised(tool, isPair ? [validation.value, ...value.slice(1)] : validation.value, body)
  }
  return checked instanceof Promise ? checked.then(enter) : enter(checked)
}

const isReady = (value: unknown): boolean =>
  isCommand(value) || isToolMessage(value) || (Array.isArray(value) && value.some(isCommand))

const normalised = (tool: AnyTool, value: unknown, { scrubber }: Body): ToolOutcome => {
  const result = toResult(value, tool)
  return scrubber === undefined ? result : scrubber.scrub(result)
}
