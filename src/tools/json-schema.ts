import { ConfigError } from '../errors.js'
import type { JsonSchema } from '../models/model.js'

/** A place of JSON Schema where `true` and `false` are schemas too. */
export type SubSchema = JsonSchema | boolean

/** Marks a place where the user's schema has a Date and JSON has a text. Never on the wire. */
export const DATE = 'x-cepa-date'

/** A ConfigError about somebody's schema. */
export const schemaError = (subject: string, fault: string, cause?: unknown): ConfigError =>
  new ConfigError(`the schema of ${subject} ${fault}`, cause === undefined ? {} : { cause })

/** The message of what was thrown. */
export const messageOfCause = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Tells whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSubSchema = (value: unknown): value is SubSchema => typeof value === 'boolean' || isObject(value)

const SINGLE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const LIST = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const MAP = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

/**
 * Gives a copy of a schema with each schema directly inside it replaced. Data (`default`, `enum`, `const`) is not
 * entered, so a property that is named like a keyword stays a property.
 */
export function mapSubSchemas(schema: JsonSchema, change: (inner: SubSchema) => SubSchema): JsonSchema {
  const changed = (inner: unknown): unknown => (isSubSchema(inner) ? change(inner) : inner)
  return mapValues(schema, (value, key) => {
    if (MAP.has(key) && isObject(value)) return mapValues(value, changed)
    if (LIST.has(key) && Array.isArray(value)) return value.map(changed)
    return SINGLE.has(key) ? changed(value) : value
  })
}

/** As {@link mapSubSchemas}, where `true` and `false` stay. */
export const mapObjects = (schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema =>
  mapSubSchemas(schema, (inner) => (isObject(inner) ? change(inner) : inner))

// `fromEntries` defines each key, so a property named `__proto__` stays data.
const mapValues = (record: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

/** Tells whether a schema, or any schema in it, passes a test. References are not followed. */
export function someSchema(schema: SubSchema, test: (node: JsonSchema) => boolean): boolean {
  if (!isObject(schema)) return false
  if (test(schema)) return true
  let found = false
  mapSubSchemas(schema, (inner) => {
    found ||= someSchema(inner, test)
    return inner
  })
  return found
}

/** The names of a JSON pointer in a fragment; `undefined` if the reference leaves the document. */
export function pointerOf(reference: string): string[] | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .filter((_, index, parts) => parts.length > 1 || parts[index] !== '')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What a pointer leads to; `undefined` if nothing is there. Only own keys count. */
export function follow(root: SubSchema, pointer: readonly string[]): SubSchema | undefined {
  let at: unknown = root
  for (const name of pointer) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return isSubSchema(at) ? at : undefined
}

/** The `type` of a schema as a list; empty where any type fits. */
export const typesOf = (schema: JsonSchema): readonly string[] =>
  typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : []

/** The properties of an object schema. */
export const propertiesOf = (schema: JsonSchema): JsonSchema => (isObject(schema.properties) ? schema.properties : {})

/** The names of required properties. */
export const requiredOf = (schema: JsonSchema): readonly string[] =>
  Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []

/** A list of schemas under a keyword; empty where there is none. */
export const listOf = (schema: JsonSchema, key: string): readonly SubSchema[] => {
  const list = schema[key]
  return Array.isArray(list) ? list.filter(isSubSchema) : []
}

/** Equality of JSON values whose keys come in the same order. */
export const sameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** A copy without some keywords. */
export const without = (schema: JsonSchema, ...keys: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)))
