import { ToolError } from '../errors.js'
import { Scope } from '../internal/scope.js'
import type { Body, Entered, RuntimeOf } from './execute.js'
import { type Deps, makeDeps } from './inject.js'
import type { ToolOutcome } from './result.js'
import type { AnyTool } from './tool.js'

/** How long a disposal may hold the result up, in milliseconds. */
const DISPOSAL_MS = 5_000

/** Runs a body that has a time limit, or dependencies. Loaded with the first call of such a tool. */
export async function guarded(tool: AnyTool, body: Body, runtimeOf: RuntimeOf, enter: Entered): Promise<ToolOutcome> {
  // It may have been aborted while this file was loaded.
  body.scope.check()
  const limit = tool.timeoutMs === undefined ? undefined : new TimeLimit(tool.name, tool.timeoutMs, body.scope)
  const scope = limit?.scope ?? body.scope
  const deps = makeDeps(tool, (values) => runtimeOf(body, scope, values), body)
  try {
    const made = deps.make()
    const values = made instanceof Promise ? await scope.race(made) : made
    return await enter(scope, runtimeOf(body, scope, values))
  } catch (error) {
    throw limit?.error ?? body.secrets.scrubber?.error(error) ?? error
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
