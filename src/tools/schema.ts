import { ConfigError, got } from '../errors.js'
import {
  isStandardSchema,
  type StandardSchema,
  type Validation,
  validateStandard,
} from '../internal/standard-schema.js'
import type { JsonSchema } from '../models/model.js'
import { converter } from './converters.js'
import {
  DATE,
  isObject,
  listOf,
  mapObjects,
  messageOfCause,
  schemaError,
  someSchema,
  typesOf,
  without,
} from './json-schema.js'
import { isObjectSchema, mergedAll } from './json-schema-merge.js'
import { jsonSchemaValidator } from './schema-json.js'
import { selfContained } from './schema-references.js'
import { tidied } from './schema-tidy.js'
import { fromZod3, type Refuse } from './schema-zod3.js'
import { seldom } from './seldom.js'

/** What Cepa takes as a schema: zod 3, zod 4, any Standard Schema that gives JSON Schema, or plain JSON Schema. */
export type Schema = StandardSchema | JsonSchema

/** The types of zod 4 whose values JSON cannot write. */
const NOT_JSON = new Set(['bigint', 'custom', 'file', 'function', 'map', 'nan', 'set', 'symbol', 'undefined', 'void'])

/** Keywords by which a plain object is known as JSON Schema. */
const KEYWORDS = ['$ref', 'allOf', 'anyOf', 'const', 'enum', 'if', 'not', 'oneOf', 'properties', 'type'] as const

/** Keywords of JSON Schema that leave any value in, or any object. */
const OTHER_KEYWORDS = ['$defs', '$schema', 'additionalProperties', 'default', 'definitions', 'description', 'required']

const UNWRITABLE = 'cannot be written as JSON Schema'

/** Names that the second argument of a tool has in other engines, and so never the name of an argument. */
const RESERVED = ['runtime', 'config']

/**
 * JSON Schema of any schema, on the input side: self-contained, without `$schema`, without what says nothing.
 * `subject` names the owner in errors, e.g. `tool "add"`. The result is a fresh object.
 *
 * @throws {ConfigError} if the value is no schema, refers to what is not in it, or has a part that JSON cannot write.
 */
export const toJsonSchema = (schema: unknown, subject: string): JsonSchema => unmarked(converted(schema, subject))

/**
 * JSON Schema of the arguments of a tool: as {@link toJsonSchema}, and an object at the root. No schema is an object
 * without properties; an intersection of objects is one object.
 *
 * @throws {ConfigError} as {@link toJsonSchema}, and if the root is no object.
 */
export function toObjectSchema(schema: unknown, subject: string): JsonSchema {
  if (schema === undefined) return { type: 'object', properties: {} }
  const root = toJsonSchema(schema, subject)
  const { allOf: _all, ...rest } = root
  const parts = listOf(root, 'allOf')
  const objects = parts.filter(isObjectSchema)
  const whole = objects.length > 0 ? mergedAll([rest, ...objects]) : root
  if (whole !== undefined && isObjectRoot(whole, schema)) {
    const others = parts.filter((part) => !isObjectSchema(part))
    return {
      ...whole,
      type: 'object',
      properties: isObject(whole.properties) ? whole.properties : {},
      ...(others.length > 0 && { allOf: others }),
    }
  }
  const union = 'anyOf' in root || 'oneOf' in root
  const kind = union ? 'a union' : typesOf(root).length > 0 ? JSON.stringify(root.type) : 'one without a type'
  throw schemaError(
    subject,
    `must be an object at its root, got ${kind}: put ${union ? 'the union' : 'it'} in a field, e.g. z.object({ value: ${union ? 'z.union([…])' : '…'} })`,
  )
}

/**
 * Refuses arguments named `runtime` or `config`.
 *
 * @throws {ConfigError} that names the argument.
 */
export function checkArgumentNames(schema: JsonSchema, subject: string): void {
  for (const name of RESERVED) {
    if (isObject(schema.properties) && Object.hasOwn(schema.properties, name)) {
      throw new ConfigError(
        `an argument of ${subject} is named "${name}": expected any other name, since the second parameter of a tool ` +
          'is its runtime',
      )
    }
  }
}

/**
 * Makes the check of values by the user's own schema. A misfit is returned, never thrown; a promise only where the
 * schema is asynchronous, and for the first checks that load what they need. ISO 8601 texts become Dates where a zod or
 * arktype schema has a date. Without a schema the value must be an object, and becomes an empty one.
 *
 * @throws {ConfigError} as {@link toJsonSchema}; and where a plain JSON Schema has a pattern that is no regular expression.
 */
export function validator(schema: unknown, subject: string): Validate {
  if (schema === undefined) return noArguments
  const json = converted(schema, subject)
  if (!isStandardSchema(schema)) {
    if (isZod(schema)) throw schemaError(subject, 'cannot validate: expected zod 3.24 or later')
    return jsonSchemaValidator(schema as JsonSchema, subject)
  }
  const dated = someSchema(json, (node) => node[DATE] === true)
  if (isZod(schema)) {
    if (!dated) return (value) => validateStandard(schema, value)
    return (value) => seldom(({ withDates }) => validateStandard(schema, withDates(json, value)))
  }
  // Unlike zod, other libraries take an array for an object and hand on `__proto__` keys.
  const isRecord = typesOf(json).join() === 'object'
  return (value) => {
    if (isRecord && !isObject(value)) return notAnObject(value)
    return seldom(({ withDates, withoutPrototypeKeys }) => {
      const safe = withoutPrototypeKeys(value)
      return validateStandard(schema, dated ? withDates(json, safe) : safe)
    })
  }
}

/**
 * As {@link validator}, for what a strict model wrote: it has to write each optional property, as null. `json` is the
 * schema on the input side.
 */
export function strictValidator(schema: unknown, json: JsonSchema, subject: string): Validate {
  const validate = validator(schema, subject)
  return (value) => seldom(({ withoutNulls }) => validate(withoutNulls(json, value)))
}

/** The check of a value by a schema. */
type Validate = (value: unknown) => Validation | Promise<Validation>

const notAnObject = (value: unknown): Validation => ({
  issues: [{ path: '', message: `expected an object, got ${got(value)}` }],
})

const noArguments = (value: unknown): Validation => (isObject(value) ? { value: {} } : notAnObject(value))

const isZod = (schema: unknown): boolean => isZod4(schema) || isZod3(schema)

const isZod4 = (schema: unknown): boolean => typeof schema === 'object' && schema !== null && '_zod' in schema

const isZod3 = (schema: unknown): boolean =>
  isObject(schema) && isObject(schema._def) && typeof schema._def.typeName === 'string'

function isObjectRoot(root: JsonSchema, schema: unknown): boolean {
  if (root.type !== undefined) return typesOf(root).includes('object')
  if (isObject(root.properties) || 'required' in root || 'additionalProperties' in root) return true
  // Peers send `{}` for a tool without arguments; a library's `any` is not that.
  return !isStandardSchema(schema) && !isZod(schema) && !KEYWORDS.some((key) => key in root)
}

const conversions = new WeakMap<object, JsonSchema>()

/** The JSON Schema with the places of dates still marked. */
function converted(schema: unknown, subject: string): JsonSchema {
  const isCacheable = (typeof schema === 'object' || typeof schema === 'function') && schema !== null
  // A plain object may be changed by its owner; a library's schema is immutable.
  const key = isCacheable && (isZod(schema) || isStandardSchema(schema)) ? schema : undefined
  const known = key && conversions.get(key)
  if (known !== undefined) return known
  const json = tidied(selfContained(plain(raw(schema, subject), subject), subject))
  if (key !== undefined) conversions.set(key, json)
  return json
}

/** The JSON Schema as the library gives it. The order of the tests matters: a zod 4 schema has `_def` too. */
function raw(schema: unknown, subject: string): unknown {
  const refused: string[] = []
  const refuse: Refuse = (kind, path) => {
    const at = pathText(path)
    refused.push(`${at === '' ? 'its root' : `"${at}"`} is ${kind}`)
  }
  let json: unknown
  try {
    json = isZod4(schema)
      ? fromZod4(schema as Zod4, refuse, subject)
      : isZod3(schema)
        ? fromZod3(schema, refuse, subject)
        : hasJsonSchema(schema)
          ? fromStandard(schema)
          : fromPlain(schema, subject)
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw schemaError(subject, `${UNWRITABLE}: ${messageOfCause(cause)}`, cause)
  }
  if (refused.length === 0) return json
  throw schemaError(
    subject,
    `${UNWRITABLE}: ${refused.join(', ')}. Expected types that JSON has (or a date): take what JSON can write and transform it`,
  )
}

type ToJSONSchema = ReturnType<typeof converter<'zod/v4/core'>>['toJSONSchema']
type Zod4 = Parameters<ToJSONSchema>[0] & { toJSONSchema?(params: Parameters<ToJSONSchema>[1]): unknown }

function fromZod4(schema: Zod4, refuse: Refuse, subject: string): unknown {
  const params: Parameters<ToJSONSchema>[1] = {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const { def } = zodSchema._zod
      // Another copy of zod keeps descriptions in a registry of its own.
      if ('description' in zodSchema && typeof zodSchema.description === 'string' && !('$ref' in jsonSchema)) {
        jsonSchema.description ??= zodSchema.description
      }
      if (def.type === 'date') {
        const isCoerced = 'coerce' in def && def.coerce === true
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' }, isCoerced ? undefined : { [DATE]: true })
      } else if (NOT_JSON.has(def.type)) {
        refuse(`z.${def.type}()`, path)
      } else if (def.type === 'literal') {
        const value = def.values.filter((one) => one === undefined || typeof one === 'bigint')
        if (value.length > 0) refuse(`a literal ${typeof value[0]}`, path)
      }
    },
  }
  if (typeof schema.toJSONSchema === 'function') {
    try {
      return schema.toJSONSchema(params)
    } catch (error) {
      // What zod classic has inside may be of zod mini, which it cannot write by itself.
      if (!(error instanceof Error && error.message.includes('Non-representable'))) throw error
    }
  }
  return converter('zod/v4/core', subject).toJSONSchema(schema, params)
}

interface StandardJsonSchema {
  readonly '~standard': {
    readonly vendor: string
    readonly jsonSchema: { input(options: { target: string; libraryOptions?: Record<string, unknown> }): unknown }
  }
}

const hasJsonSchema = (schema: unknown): schema is StandardJsonSchema =>
  (typeof schema === 'object' || typeof schema === 'function') &&
  schema !== null &&
  typeof (schema as Partial<StandardJsonSchema>)['~standard']?.jsonSchema?.input === 'function'

function fromStandard(schema: StandardJsonSchema): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  // arktype gives an empty schema for what JSON lacks, unless it is told otherwise.
  if (vendor !== 'arktype') return jsonSchema.input({ target: 'draft-07' })
  const refuse = (context: { readonly code: string }): never => {
    throw new TypeError(`arktype has no JSON form for a ${context.code}`)
  }
  const date = () => ({ type: 'string', format: 'date-time', [DATE]: true })
  const fallback = { date, domain: refuse, proto: refuse, symbolKey: refuse, unit: refuse }
  return jsonSchema.input({ target: 'draft-07', libraryOptions: { fallback } })
}

function fromPlain(schema: unknown, subject: string): JsonSchema {
  if (isPlainSchema(schema)) return schema
  const fix = isStandardSchema(schema)
    ? 'this library gives no JSON Schema by itself: wrap the schema as its JSON Schema package says'
    : 'fields belong in an object schema, e.g. z.object({ … })'
  throw schemaError(
    subject,
    `is not a schema: expected zod, a Standard Schema that gives JSON Schema, or JSON Schema, got ${got(schema)}; ${fix}`,
  )
}

function isPlainSchema(schema: unknown): schema is JsonSchema {
  // The schemas of some libraries are plain objects with a `type` too.
  if (!isObject(schema) || isStandardSchema(schema)) return false
  const prototype: unknown = Object.getPrototypeOf(schema)
  if (prototype !== Object.prototype && prototype !== null) return false
  const { type } = schema
  if (type !== undefined && typeof type !== 'string' && !Array.isArray(type)) return false
  const keys = Object.keys(schema)
  const isKnown = keys.length === 0 || [...KEYWORDS, ...OTHER_KEYWORDS].some((key) => Object.hasOwn(schema, key))
  return isKnown && !keys.some((key) => isZod(schema[key]) || isStandardSchema(schema[key]))
}

/** A copy that is JSON and nothing else, e.g. with the text of a default date. */
function plain(json: unknown, subject: string): JsonSchema {
  let copy: unknown
  try {
    copy = JSON.parse(JSON.stringify(json))
  } catch (cause) {
    throw schemaError(subject, 'is not plain JSON: expected no cycles and no bigint', cause)
  }
  return isObject(copy) ? copy : {}
}

const unmarked = (schema: JsonSchema): JsonSchema => mapObjects(without(schema, DATE), unmarked)

/** A path of keywords (`properties`, `a`, `items`) as a path of values (`a[]`). */
function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (let index = 0; index < path.length; index++) {
    const part = path[index]
    if (part === 'properties') text += `${text === '' ? '' : '.'}${path[++index]}`
    else if (part === 'items' || part === 'prefixItems' || part === 'additionalItems') text += '[]'
    else if (part === 'additionalProperties') text += `${text === '' ? '' : '.'}*`
  }
  return text
}
