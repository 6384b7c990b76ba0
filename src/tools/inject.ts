import { ConfigError } from '../errors.js'
import type { ToolRuntime } from '../runtime.js'
import { type Scrubber, Secret } from './secret.js'
import type { AnyTool } from './tool.js'

/** The dependencies of one call, made and let go. */
export interface Deps {
  readonly values: object
  /** Waits for what is made asynchronously; `undefined` if nothing is. */
  readonly ready: Promise<void> | undefined
  /** Lets go of everything that was made, the newest first. `undefined` if there is nothing to let go. */
  dispose(): Promise<void> | undefined
}

const NOTHING: Deps = Object.freeze({ values: Object.freeze({}), ready: undefined, dispose: () => undefined })

/**
 * Makes the dependencies of a call, before its body is entered: each `inject` function runs once per call, in the order
 * of need, as a function may read the others through `runtime.deps`; there a dependency that is made asynchronously is
 * a promise, in the body it is its value. Afterwards `Symbol.asyncDispose` or `Symbol.dispose` of each value is called,
 * the newest first.
 * @throws ConfigError for a circle, naming it.
 */
export function makeDeps(tool: AnyTool, runtimeWith: (deps: object) => ToolRuntime, scrubber?: Scrubber): Deps {
  const keys = Object.keys(tool.inject)
  if (keys.length === 0) return NOTHING
  const made = new Map<string, unknown>()
  const making: string[] = []
  const order: string[] = []
  const view = {}
  const runtime = runtimeWith(view)
  const make = (key: string): unknown => {
    if (made.has(key)) return made.get(key)
    if (making.includes(key))
      throw new ConfigError(`tool "${tool.name}": its inject goes in a circle: ${[...making, key].join(' → ')}`)
    making.push(key)
    const value = tool.inject[key]?.(runtime)
    making.pop()
    if (value instanceof Promise) value.catch(() => {})
    made.set(key, value)
    order.push(key)
    return value
  }
  for (const key of keys) Object.defineProperty(view, key, { enumerable: true, get: () => make(key) })
  const values: Record<string, unknown> = {}
  const settle = (key: string, value: unknown): void => {
    if (value instanceof Secret) scrubber?.add(value.reveal())
    Object.defineProperty(values, key, { value, enumerable: true })
  }
  let failed: { error: unknown } | undefined
  try {
    for (const key of keys) make(key)
  } catch (error) {
    failed = { error }
  }
  const waits = order.filter((key) => made.get(key) instanceof Promise)
  for (const key of order) if (!waits.includes(key)) settle(key, made.get(key))
  const ready =
    failed || waits.length > 0
      ? (async () => {
          const results = await Promise.allSettled(waits.map((key) => made.get(key)))
          for (const [index, result] of results.entries()) {
            if (result.status === 'fulfilled') settle(waits[index] as string, result.value)
            else failed ??= { error: result.reason }
          }
          if (failed) throw failed.error
        })()
      : undefined
  ready?.catch(() => {})
  return { values, ready, dispose: () => disposeAll(order.map((key) => values[key]).reverse()) }
}

type Disposable = { [Symbol.asyncDispose]?: () => unknown; [Symbol.dispose]?: () => unknown }

function disposeAll(values: readonly unknown[]): Promise<void> | undefined {
  const disposers = values.flatMap((value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return []
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Disposable
    const dispose = later ?? now
    return dispose ? [() => dispose.call(value)] : []
  })
  if (disposers.length === 0) return undefined
  return (async () => {
    for (const dispose of disposers) await dispose()
  })()
}
