import { ConfigError, got, isAgentError } from './errors.js'
import { checkMessages } from './message-list.js'
import { user } from './messages.js'
import type { StateSchema } from './state.js'

/**
 * Reads the input of a run, a string, messages, or `{ messages?, …state }`, as an update of the state.
 * @throws ConfigError for anything else, and for a state field that is unknown or hidden.
 */
export function readInput(input: unknown, fields: StateSchema): Record<string, unknown> {
  if (typeof input === 'string') return { messages: [user(input)] }
  if (Array.isArray(input)) return { messages: checkMessages(input, 'input') }
  if (
    typeof input !== 'object' ||
    input === null ||
    (Object.getPrototypeOf(input) !== Object.prototype && Object.getPrototypeOf(input) !== null)
  ) {
    throw new ConfigError(`input: expected a string, messages, or { messages, …state }, got ${got(input)}`)
  }
  const update: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (key === 'messages') {
      update.messages = typeof value === 'string' ? [user(value)] : checkMessages(value, 'input.messages')
      continue
    }
    const known = fields.get(key)
    if (known === undefined || known.hidden) {
      const names = ['messages', ...fields.names.filter((name) => !fields.get(name)?.hidden)].join(', ')
      throw new ConfigError(`input: ${known ? 'hidden' : 'unknown'} state field "${key}"; expected one of ${names}`)
    }
    update[key] = value
  }
  return update
}

/** A misfit of the input is the app's to mend: the same error as for every other thing that it passes in. */
export const asConfigError = (error: unknown): unknown =>
  isAgentError(error) && error.code === 'STATE' ? new ConfigError(error.message, { cause: error }) : error
