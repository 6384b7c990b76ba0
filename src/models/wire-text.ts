/** The text with lone surrogates replaced by U+FFFD, as endpoints that parse UTF-8 strictly need it. */
export function wellFormed(text: string): string {
  // ES2024 methods, which Node 20 has and the ES2023 typings have not.
  const modern: { isWellFormed?(): boolean; toWellFormed?(): string } & string = text
  if (modern.isWellFormed?.()) return text
  return modern.toWellFormed?.() ?? text.replace(LONE_SURROGATE, '\uFFFD')
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/

/** Whether a text has something other than white space; Anthropic refuses text blocks that have not. */
export const hasText = (text: string): boolean => /\S/.test(text)

/**
 * The arguments of a call as exactly one level of JSON text of an object. Blank becomes `{}`; a JSON string that holds
 * the text of an object is unwrapped once. What is not the JSON of an object becomes `{}`: servers parse the arguments
 * of the history and refuse the whole request, and the result behind the call says what was wrong.
 */
export function wireArguments(args: unknown): string {
  if (typeof args !== 'string') return isObject(args) ? JSON.stringify(deepWellFormed(args)) : '{}'
  const value = parsed(args)
  if (isObject(value)) return ESCAPED_SURROGATE.test(args) ? JSON.stringify(deepWellFormed(value)) : wellFormed(args)
  const inner = typeof value === 'string' ? parsed(value) : undefined
  return isObject(inner) ? JSON.stringify(deepWellFormed(inner)) : '{}'
}

/** Arguments that came in as a JSON string holding the text of an object, unwrapped once; others as they are. */
export function unwrapped(args: string): string {
  if (!args.trimStart().startsWith('"')) return args
  const value = parsed(args)
  return typeof value === 'string' && isObject(parsed(value)) ? value : args
}

/** Whether a text is complete JSON of an object. */
export function isWholeObject(text: string): boolean {
  const end = text.trimEnd()
  return end.endsWith('}') && isObject(parsed(end))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function deepWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(deepWellFormed)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), deepWellFormed(item)]))
}
