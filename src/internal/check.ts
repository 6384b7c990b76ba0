import { ConfigError, got } from '../errors.js'
import { distance } from './distance.js'

/** What an option must be: a test, and words for it. */
export type Rule = readonly [fits: (value: unknown) => boolean, words: string]

/** What each option of a kind must be, by its name. */
export type Rules = Readonly<Record<string, Rule>>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** An object that holds values: no promise, date, map or the like. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]'
export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isWhole = (value: unknown, least: number): boolean => Number.isInteger(value) && (value as number) >= least

export const ANYTHING: Rule = [() => true, 'anything']
export const BOOLEAN: Rule = [(value) => typeof value === 'boolean', 'true or false']
export const TEXT: Rule = [(value) => typeof value === 'string', 'a string']
export const NAME: Rule = [(value) => typeof value === 'string' && value !== '', 'a string that is not empty']
export const OBJECT: Rule = [isRecord, 'an object']
export const COUNT: Rule = [
  (value) => isWhole(value, 1) || value === Number.POSITIVE_INFINITY,
  'a whole number from 1, or Infinity',
]
export const SIGNAL: Rule = [
  (value) => isObject(value) && typeof value.addEventListener === 'function' && 'aborted' in value,
  'an AbortSignal',
]

/** One of some texts. */
export const oneOf = (...texts: readonly string[]): Rule => [
  (value) => texts.includes(value as string),
  texts
    .map((text) => `'${text}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1'),
]

/**
 * Checks options where they enter: each is known, and what it must be. `undefined` counts as absent.
 *
 * @throws ConfigError naming the subject and the option.
 */
export function check(
  options: unknown,
  rules: Rules,
  subject: string,
  shape = 'an object of options',
): Record<string, unknown> {
  if (!isObject(options)) throw new ConfigError(`${subject}: expected ${shape}, got ${got(options)}`)
  for (const key of Object.keys(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    if (rule === undefined) throw unknownOption(key, Object.keys(rules), subject)
    if (options[key] !== undefined) checkValue(options[key], rule, `${subject}: expected ${key}`)
  }
  return options
}

/** @throws ConfigError for a value that is not what it must be; `expected` says whose value it is. */
export function checkValue(value: unknown, [fits, words]: Rule, expected: string): void {
  if (fits(value)) return
  throw new ConfigError(`${expected} to be ${words}, got ${got(value)}${value instanceof Promise ? '; await it' : ''}`)
}

/** The known name that a misspelt one may stand for. */
export const nearest = (key: string, known: readonly string[]): string | undefined =>
  known.find((other) => distance(other.toLowerCase(), key.toLowerCase()) <= 2)

function unknownOption(key: string, known: readonly string[], subject: string): ConfigError {
  const near = nearest(key, known)
  const hint = near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`
  return new ConfigError(`${subject}: unknown option "${key}"; ${hint}`)
}
