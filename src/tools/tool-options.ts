import { ConfigError, got } from '../errors.js'
import {
  ANYTHING,
  BOOLEAN,
  check,
  checkValue,
  isFunction,
  isObject,
  NAME,
  OBJECT,
  oneOf,
  type Rule,
  type Rules,
} from '../internal/check.js'
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

const FUNCTION: Rule = [isFunction, 'a function (args, runtime) => value']
const FACTORY: Rule = [isFunction, 'a function (runtime) => value']
const SCHEMA: Rule = [(value) => isObject(value) || isStandardSchema(value), 'a schema']
/** The longest delay that a timer takes; a longer one would fire at once. */
const MAX_DELAY = 2_147_483_647

/** What `tool.with()` changes. */
const CHANGES = {
  name: NAME,
  description: [
    (value) => typeof value === 'string' && value.trim() !== '',
    'a text that tells the model what the tool does',
  ],
} satisfies Rules

/** The options beside a function. */
const BESIDE: Rules = {
  ...CHANGES,
  schema: ANYTHING,
  contextSchema: SCHEMA,
  stateSchema: [SCHEMA[0], 'a record of fields, or a z.object'],
  inject: [isObject, 'a record of functions'],
  returnDirect: BOOLEAN,
  responseFormat: oneOf('content', 'content_and_artifact'),
  outputSchema: SCHEMA,
  timeoutMs: [
    (value) => typeof value === 'number' && value > 0 && value <= MAX_DELAY,
    `a number of milliseconds above 0, at most ${MAX_DELAY}`,
  ],
  sequential: BOOLEAN,
  retry: oneOf('never', 'keyed', 'safe'),
  metadata: OBJECT,
  strict: BOOLEAN,
}

/** The options where the function is one of them. */
const WHOLE: Rules = { ...BESIDE, execute: FUNCTION }

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
  if (!isObject(given)) {
    throw new ConfigError(`${maker}(): expected options { name, description, schema, … }, got ${got(given)}`)
  }
  const name = nameOf(given, fn, maker)
  const subject = `${maker} "${name}"`
  check(given, fn === undefined ? WHOLE : BESIDE, subject)
  if (!undescribed) checkValue(given.description, CHANGES.description, `${subject}: expected description`)
  for (const [key, make] of Object.entries(given.inject ?? {})) {
    checkValue(make, FACTORY, `${subject}: expected inject.${key}`)
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

/** Checks what `tool.with()` is given. @throws ConfigError */
export function checkChange(name: string, change: unknown): { name?: string; description?: string } {
  const checked = check(change, CHANGES, `tool "${name}".with()`, '{ name, description }')
  return Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== undefined))
}

/** Checks what `tool.implement()` is given. @throws ConfigError */
export function checkBody(name: string, body: unknown, isProviders: boolean): Execute {
  const subject = `tool "${name}".implement()`
  if (isProviders)
    throw new ConfigError(`${subject}: the provider runs this tool itself; expected a tool made by tool()`)
  if (!isFunction(body))
    throw new ConfigError(`${subject}: expected a function (args, runtime) => value, got ${got(body)}`)
  return body as Execute
}

/** Checks what `providerTool()` is given. @throws ConfigError */
export function checkProviderShape(definition: unknown): void {
  if (isObject(definition) && typeof definition.type === 'string' && definition.type !== '') return
  throw new ConfigError(
    `providerTool(): expected the provider's own shape { type: 'web_search', … }, got ${got(definition)}`,
  )
}
