import { peek } from './errors.js'
import type { CallView, ToolMessage } from './messages.js'

/** What a question shows to those who answer it. A headless tool's is `'tool'`. */
export type InterruptPayload = { readonly type: 'tool'; readonly toolCall: CallView }

/** A question to the outside: a call that only somebody else can answer. */
export interface Interrupt {
  /** 32 hexadecimal characters. */
  readonly id: string
  readonly toolCallId?: string
  /** Tool call ids down to the sub-agent that asks; empty for the agent itself. */
  readonly path: readonly string[]
  readonly payload: InterruptPayload
}

const BRAND = Symbol.for('cepa.control')

/** Control flow, not an error: it carries a question through every ring and is never turned into a result. */
export class Interruption {
  readonly interrupts: readonly Interrupt[]
  /** Results of the same turn that are there already, in call order. */
  readonly done: readonly ToolMessage[]
  constructor(interrupts: readonly Interrupt[], done: readonly ToolMessage[] = []) {
    Object.defineProperty(this, BRAND, { value: true })
    this.interrupts = interrupts
    this.done = done
  }

  /** By its brand, as whatever a tool threw is asked, and a hostile proxy throws when asked for its prototype. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return peek(value, BRAND) === true
  }
}

const aborts = new WeakSet<object>()

/** Marks what a run was aborted with, so that {@link isControl} knows it, whatever it is. */
export function markAbort(reason: unknown): void {
  if (typeof reason === 'object' && reason !== null) aborts.add(reason)
}

/**
 * Tells whether what was caught is control flow: an interruption, or an abort. Every `catch` of a middleware asks
 * this first and throws such a value on: `if (isControl(error)) throw error`. Never throws.
 */
export const isControl = (error: unknown): boolean =>
  peek(error, BRAND) === true || aborts.has(error as object) || peek(error, 'name') === 'AbortError'
