import { isCommand } from '../command.js'
import { ToolError } from '../errors.js'
import type { Scope } from '../internal/scope.js'
import { issuesText } from '../internal/standard-schema.js'
import { LiveToolRuntime, type RuntimeHost, type ToolRuntime } from '../runtime.js'
import { tagOf } from './error-text.js'
import { isToolMessage, type ToolOutcome, toResult } from './result.js'
import type { Secrets } from './secrets.js'
import { seldom } from './seldom.js'
import type { AnyTool } from './tool.js'

/** What a body runs in. */
export interface Body {
  readonly host: RuntimeHost
  readonly toolCallId: string
  /** From 1. */
  readonly attempt: number
  readonly scope: Scope
  /** Learns the tool's secrets, and takes them out of what the body lets out. */
  readonly secrets: Secrets
  /** Is shown each yield of a generator. */
  readonly onProgress?: (chunk: unknown) => void | Promise<void>
  /** Is told what the disposal of a dependency threw; the result stands all the same. */
  readonly onDisposeError?: (error: unknown) => void
}

/** Makes the runtime of a body, or of a factory of its dependencies. */
export type RuntimeOf = (body: Body, scope: Scope, deps: object) => ToolRuntime

/** Enters a body and normalises what it gives. */
export type Entered = (scope: Scope, runtime: ToolRuntime) => ToolOutcome | Promise<ToolOutcome>

/**
 * Runs the body of a tool on validated arguments: makes its dependencies, enters it, drains a generator, checks the
 * value by `outputSchema`, normalises it, lets the dependencies go. A promise only where something in it takes time.
 * Throws or rejects with what the body threw, with a `ToolError` of code `TOOL_TIMEOUT`, or with the scope's reason when
 * that is aborted; what comes later is dropped.
 */
export function runBody(tool: AnyTool, args: unknown, body: Body): ToolOutcome | Promise<ToolOutcome> {
  if (tool.timeoutMs !== undefined || hasKeys(tool.inject)) return runGuarded(tool, args, body)
  return enter(tool, args, body, body.scope, runtimeOf(body, body.scope, NO_DEPS))
}

/** A body with a time limit, or with dependencies. */
function runGuarded(tool: AnyTool, args: unknown, body: Body): ToolOutcome | Promise<ToolOutcome> {
  const entered: Entered = (scope, runtime) => enter(tool, args, body, scope, runtime)
  return seldom(({ guarded }) => guarded(tool, body, runtimeOf, entered))
}

const NO_DEPS: object = Object.freeze({})

function hasKeys(record: object): boolean {
  for (const _key in record) return true
  return false
}

const runtimeOf: RuntimeOf = ({ host, toolCallId, attempt }, scope, deps) =>
  new LiveToolRuntime(host, { toolCallId, attempt, scope, deps })

function enter(
  tool: AnyTool,
  args: unknown,
  body: Body,
  scope: Scope,
  runtime: ToolRuntime,
): ToolOutcome | Promise<ToolOutcome> {
  const value = tool.execute?.(args, runtime)
  return isLater(value) ? settle(tool, value, body, scope) : outcome(tool, value, body)
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
      const shown = body.onProgress?.(body.secrets.scrub(last))
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
  const accept = (validation: Awaited<typeof checked>): ToolOutcome | Promise<ToolOutcome> => {
    if (validation.issues) {
      throw new ToolError(
        `The tool "${tool.name}" gave what does not fit its outputSchema: ${issuesText(validation.issues)}.`,
      )
    }
    return normalised(tool, isPair ? [validation.value, ...value.slice(1)] : validation.value, body)
  }
  return checked instanceof Promise ? checked.then(accept) : accept(checked)
}

const isReady = (value: unknown): boolean =>
  isCommand(value) || isToolMessage(value) || (Array.isArray(value) && value.some(isCommand))

function normalised(tool: AnyTool, value: unknown, { secrets }: Body): ToolOutcome | Promise<ToolOutcome> {
  const result = toResult(value, tool)
  return result instanceof Promise ? result.then((late) => secrets.scrub(late)) : secrets.scrub(result)
}
