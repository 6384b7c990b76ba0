import { got, ToolInputError } from '../errors.js'

/** The arguments of a call as parsed JSON, not validated yet; or why there are none. */
export type ParsedArguments = { readonly args: unknown } | { readonly error: ToolInputError }

/**
 * Parses the `arguments` of a tool call. Blank, absent and `null` are `{}`; an object is taken as it is; a text that
 * holds the text of an object is unwrapped once. Anything else is an error that the model can mend by calling again:
 * incomplete JSON is never repaired into an execution. An own `__proto__` key stays data. Never throws.
 */
export function parseArguments(text: unknown): ParsedArguments {
  if (typeof text !== 'string') return fromValue(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return text.trim() === '' ? { args: {} } : incomplete(cause)
  }
  return typeof value === 'string' ? unwrapped(value) : fromValue(value)
}

function fromValue(value: unknown): ParsedArguments {
  if (value === undefined || value === null) return { args: {} }
  return typeof value === 'object' && !Array.isArray(value) ? { args: value } : noObject(value)
}

/** Some gateways encode the text once more than they should. */
function unwrapped(text: string): ParsedArguments {
  try {
    const inner: unknown = JSON.parse(text)
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) return { args: inner }
  } catch {
    // It is a plain string then.
  }
  return noObject(text)
}

const noObject = (value: unknown): ParsedArguments => {
  const message = `expected an object, got ${got(value)}`
  return {
    error: new ToolInputError(`The arguments do not fit: ${message}. Send one JSON object and call the tool again.`, {
      issues: [{ path: '', message }],
    }),
  }
}

const incomplete = (cause: unknown): ParsedArguments => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return {
    error: new ToolInputError(
      `The arguments are not complete JSON, so nothing was executed (${reason}). Send one whole JSON object and call the tool again.`,
      { cause, issues: [{ path: '', message: 'expected complete JSON' }] },
    ),
  }
}
