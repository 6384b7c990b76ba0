import type { Message } from './messages.js'

/** Where a run goes next. `'model'` is a new turn; `'end'` beats `'model'` beats `'tools'`. */
export type Goto = 'end' | 'model' | 'tools'

/** An update of the state and a change of route, in one value. Made by {@link command}. */
export interface Command<Update = Record<string, unknown>> {
  readonly update?: Update
  readonly messages?: readonly Message[]
  readonly goto?: Goto
  readonly stopReason?: 'limit' | 'goto'
  /** Of the type alone: a command is no update, although both may hold messages. */
  readonly '~command'?: true
}

const BRAND = Symbol.for('cepa.command')

/**
 * Makes a command, for hooks and tools to return. `update` goes through the reducers; `messages` are appended (in a
 * tool's command, a tool message among them answers the call); `goto` changes the route; `stopReason` names why the
 * run ends with `goto: 'end'`, `'goto'` by default.
 */
export function command<const Update extends object = Record<string, unknown>>(
  parts: Command<Update>,
): Command<Update> {
  return Object.freeze({ ...parts, [BRAND]: true })
}

/** Tells whether a value was made by {@link command}. */
export const isCommand = (value: unknown): value is Command =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
