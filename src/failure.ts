import type { Message } from './messages.js'
import { layerOf } from './onion.js'
import type { Usage } from './usage.js'

/** What there was when a run rejected. */
export interface ErrorInfo {
  readonly runId: string
  /** The middleware that threw; absent for what a model or a tool threw. */
  readonly layer?: string
  readonly messages: readonly Message[]
  readonly usage: Usage
}

const failures = new WeakMap<object, ErrorInfo>()

/** Remembers what there was; the latest run that rejected with this error counts. */
export function explain(error: unknown, info: ErrorInfo): void {
  if (typeof error !== 'object' || error === null) return
  const layer = layerOf(error)
  failures.set(error, layer === undefined ? info : { ...info, layer })
}

/** What there was when a run rejected with this error: the run, the middleware that threw it, the messages, the usage. */
export const errorInfo = (error: unknown): ErrorInfo | undefined =>
  typeof error === 'object' && error !== null ? failures.get(error) : undefined
