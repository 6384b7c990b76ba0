/** The tag of a value, right across realms: `Map`, `Date`, `AsyncGenerator`, … */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** Tells whether a value is an error, also one of another realm. */
export const isError = (value: unknown): value is Error => value instanceof Error || tagOf(value) === 'Error'

/** The message of an error, or its name; an error that says `expose: false` says nothing. */
export function messageOf(error: { readonly message?: unknown; readonly name?: unknown }): string {
  if ((error as { expose?: unknown }).expose === false) return NEUTRAL
  if (typeof error.message === 'string' && error.message.trim() !== '') return withoutStack(error.message)
  return typeof error.name === 'string' ? error.name : ''
}

/** What is said in place of a text that must not be shown, or that is not there. */
export const NEUTRAL = 'The tool failed.'

const withoutStack = (message: string): string => {
  const at = message.search(/\n\s*at .+(?::\d+|\))/)
  return at < 0 ? message : message.slice(0, at)
}

/** What stands for a function or a symbol, which JSON has not. */
export const shortName = (value: Function | symbol): string =>
  typeof value === 'symbol' ? String(value) : value.name ? `[function ${value.name}]` : '[function]'

/**
 * The text of an error result for what a tool threw: the message alone, without stack and cause. `expose: false` on the
 * error gives a neutral sentence, as in Koa, and so does a value that says nothing. Never throws.
 */
export function errorText(error: unknown): string {
  try {
    if (typeof error === 'string') return error.trim() === '' ? NEUTRAL : error
    if (error === undefined || error === null) return NEUTRAL
    if (typeof error !== 'object')
      return `The tool failed: ${typeof error === 'function' ? shortName(error) : String(error)}`
    const text = messageOf(error as { message?: unknown; name?: unknown })
    if (text !== '' && text !== 'Error') return text
    // A text of its own, not `[object Object]`.
    const own: unknown = String(error)
    return typeof own === 'string' && own !== '' && !own.startsWith('[object ') && !isError(error) ? own : NEUTRAL
  } catch {
    return NEUTRAL
  }
}
