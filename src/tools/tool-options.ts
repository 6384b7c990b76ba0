import { ConfigError, got } from '../errors.js'
import { distance } from '../internal/distance.js'
import { isStandardSchema } from '../internal/standard-schema.js'
import type { ToolRuntime } from '../runtime.js'

/** Whether a body may run again by itself: never, with the same idempotency key, or freely. */
export type RetryKind = 'never' | 'keyed' | 'safe'

/** How one dependency of a tool is made: once per call, before its body is entered. */
export type Inject = { bivariant(runtime: ToolRuntime): unknown }['bivariant']

/** The body of a tool of any arguments. */
export type Execute = { bivariant(args: unknown, runtime: ToolRuntime): unknown }['bivariant']

/** The options of a tool, checked, with its name and its body. */
export interface CheckedOptions {
  readonly name: string
  /** Empty where it may be. */
  readonly description: string
  readonly schema?: unknown
  readonly contextSchema?: unknown
  readonly stateSchema?: unknown
  readonly inject?: Readonly<Record<string, Inject>>
  readonly returnDirect?: boolean
  readonly responseFormat?: 'content' | 'content_and_artifact'
  readonly outputSchema?: unknown
  readonly timeoutMs?: number
  readonly sequential?: boolean
  readonly retry?: RetryKind
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly strict?: boolean
  readonly execute?: Execute | undefined
}

/** What an option must be: a test, and words for it. */
type Rule = readonly [(value: unknown) => boolean, string]

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const oneOf =
  (...values: readonly unknown[]): Rule[0] =>
  (value) =>
    values.includes(value)

const ANYTHING: Rule = [() => true, 'anything']
const BOOLEAN: Rule = [isBoolean, 'true or false']
const SCHEMA: Rule = [(value) => isRecord(value) || isStandardSchema(value), 'a schema']
/** The longest delay that a timer takes; a longer one would fire at once. */
const MAX_DELAY = 2_147_483_647

const RULES: Readonly<Record<string, Rule>> = {
  name: [(value) => typeof value === 'string' && value !== '', 'a string that is not empty'],
  description: [
    (value) => typeof value === 'string' && value.trim() !== '',
    'a text that tells the model what the tool does',
  ],
  schema: ANYTHING,
  contextSchema: SCHEMA,
  stateSchema: [(value) => isRecord(value) || isStandardSchema(value), 'a record of fields, or a z.object'],
  inject: [isRecord, 'a record of functions'],
  returnDirect: BOOLEAN,
  responseFormat: [oneOf('content', 'content_and_artifact'), "'content' or 'content_and_artifact'"],
  outputSchema: SCHEMA,
  timeoutMs: [
    (value) => typeof value === 'number' && value > 0 && value <= MAX_DELAY,
    `a number of milliseconds above 0, at most ${MAX_DELAY}`,
  ],
  sequential: BOOLEAN,
  retry: [oneOf('never', 'keyed', 'safe'), "'never', 'keyed' or 'safe'"],
  metadata: [isRecord, 'an object'],
  strict: BOOLEAN,
  execute: [(value) => typeof value === 'function', 'a function (args, runtime) => value'],
}

/** How {@link checkOptions} is to read. */
export interface CheckOptions {
  /** Who is spoken of in errors. @default 'tool' */
  readonly maker?: string
  /** Whether a tool may go without a description. @default false */
  readonly undescribed?: boolean
}

/**
 * Checks the options of a tool, and finds its name and its body. `undefined` counts as absent.
 *
 * @throws ConfigError that names the tool and the option.
 */
export function checkOptions(
  given: unknown,
  fn?: unknown,
  { maker = 'tool', undescribed }: CheckOptions = {},
): CheckedOptions {
  if (!isRecord(given)) {
    throw new ConfigError(`${maker}(): expected options { name, description, schema, … }, got ${got(given)}`)
  }
  const name = nameOf(given, fn, maker)
  const subject = `${maker} "${name}"`
  for (const key of Object.keys(given)) checkOption(subject, key, given[key], fn === undefined)
  if (given.description === undefined && !undescribed) checkOption(subject, 'description', undefined, true, true)
  for (const [key, make] of Object.entries(given.inject ?? {})) {
    if (typeof make !== 'function') {
      throw new ConfigError(`${subject}: expected inject.${key} to be a function (runtime) => value, got ${got(make)}`)
    }
  }
  const execute = (fn ?? given.execute) as CheckedOptions['execute']
  const description = typeof given.description === 'string' ? given.description : ''
  return { ...(given as Partial<CheckedOptions>), name, description, execute }
}

/** A bound function is called `bound x`; what it binds is meant. */
export const nameOfFunction = (fn: unknown): string =>
  typeof fn === 'function' ? fn.name.replace(/^(?:bound )+/, '') : ''

function nameOf(given: Record<string, unknown>, fn: unknown, maker: string): string {
  const name = given.name ?? nameOfFunction(fn)
  if (typeof name === 'string' && name !== '') return name
  const fix = fn === undefined ? 'give { name }' : 'name the function, or give { name }'
  throw new ConfigError(
    `${maker}(): expected name to be a string that is not empty, got ${got(given.name ?? name)}; ${fix}`,
  )
}

function checkOption(subject: string, key: string, value: unknown, mayExecute: boolean, required = false): void {
  const rule = Object.hasOwn(RULES, key) && (mayExecute || key !== 'execute') ? RULES[key] : undefined
  if (rule === undefined) {
    const known = Object.keys(RULES).filter((other) => mayExecute || other !== 'execute')
    const near = known.find((other) => distance(other.toLowerCase(), key.toLowerCase()) <= 2)
    const hint = near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`
    throw new ConfigError(`${subject}: unknown option "${key}"; ${hint}`)
  }
  const [fits, words] = rule
  if ((required || value !== undefined) && !fits(value)) {
    throw new ConfigError(`${subject}: expected ${key} to be ${words}, got ${got(value)}`)
  }
}

/** Checks what `tool.with()` is given. @throws ConfigError */
export function checkChange(name: string, change: unknown): { name?: string; description?: string } {
  const subject = `tool "${name}".with()`
  if (!isRecord(change)) throw new ConfigError(`${subject}: expected { name, description }, got ${got(change)}`)
  const checked: Record<string, unknown> = {}
  for (const key of Object.keys(change)) {
    if (key !== 'name' && key !== 'description') {
      throw new ConfigError(`${subject}: unknown key "${key}"; expected name or description`)
    }
    checkOption(subject, key, change[key], true)
    if (change[key] !== undefined) checked[key] = change[key]
  }
  return checked
}

/** Checks what `tool.implement()` is given. @throws ConfigError */
export function checkBody(name: string, body: unknown, isProviders: boolean): Execute {
  const subject = `tool "${name}".implement()`
  if (isProviders)
    throw new ConfigError(`${subject}: the provider runs this tool itself; expected a tool made by tool()`)
  if (typeof body !== 'function')
    throw new ConfigError(`${subject}: expected a function (args, runtime) => value, got ${got(body)}`)
  return body as Execute
}

/** Checks what `providerTool()` is given. @throws ConfigError */
export function checkProviderShape(definition: unknown): void {
  if (isRecord(definition) && typeof definition.type === 'string' && definition.type !== '') return
  throw new ConfigError(
    `providerTool(): expected the provider's own shape { type: 'web_search', … }, got ${got(definition)}`,
  )
}
