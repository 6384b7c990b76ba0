import { got, ToolInputError } from '../errors.js'

/** The arguments of a call as a value, or why there is none. */
export type ParsedArguments = { readonly args: unknown } | { readonly error: ToolInputError }

/**
 * Reads the arguments of a call, not validated yet. Blank, absent and `null` count as `{}`; an object is taken as it
 * is; a string inside the string is unwrapped once, and only to an object. What is not complete, strict JSON is an
 * error and never repaired.
 */
export function parseArguments(text: unknown): ParsedArguments {
  if (text === undefined || text === null) return { args: {} }
  if (typeof text !== 'string') return { args: text }
  let args: unknown
  try {
    args = JSON.parse(text)
  } catch (cause) {
    if (text.trim() === '') return { args: {} }
    return {
      error: new ToolInputError(
        `The arguments are not complete JSON: ${(cause as Error).message}. Call the tool again with valid JSON.`,
        { cause },
      ),
    }
  }
  if (typeof args === 'string') args = unwrapped(args)
  if (args === null) return { args: {} }
  if (typeof args === 'object' && !Array.isArray(args)) return { args }
  return {
    error: new ToolInputError(
      `The arguments must be a JSON object, got ${got(args)}. Call the tool again with an object.`,
    ),
  }
}

function unwrapped(text: string): unknown {
  try {
    const inner: unknown = JSON.parse(text)
    return typeof inner === 'object' && inner !== null ? inner : text
  } catch {
    return text
  }
}
