import type { JsonSchema } from '../models/model.js'
import { isObject, propertiesOf, requiredOf, type SubSchema, sameJson, typesOf } from './json-schema.js'

/** Keywords that only describe. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
])

const LOWEST = new Set(['exclusiveMaximum', 'maxItems', 'maxLength', 'maxProperties', 'maximum'])
const HIGHEST = new Set(['exclusiveMinimum', 'minItems', 'minLength', 'minProperties', 'minimum'])

/**
 * One schema that asks for what both ask for; `undefined` where no single schema does. Descriptions are those of the
 * first. Two closed objects become one closed object of the properties of both, as schema libraries mean it.
 */
export function merged(first: JsonSchema, second: JsonSchema): JsonSchema | undefined {
  const out = new Map<string, unknown>(Object.entries(first))
  for (const [key, theirs] of Object.entries(second)) {
    const mine = out.get(key)
    if (mine === undefined) {
      out.set(key, theirs)
    } else if (!sameJson(mine, theirs) && !ANNOTATIONS.has(key)) {
      const both = mergedKeyword(key, mine, theirs, first, second)
      if (both === undefined) return undefined
      out.set(key, both)
    }
  }
  const choices = out.get('enum')
  if (out.has('const') && Array.isArray(choices)) {
    if (!choices.some((value) => sameJson(value, out.get('const')))) return undefined
    out.delete('enum')
  }
  // A side that says nothing of further properties lets those of the other side in.
  if (isObjectSchema(first) && isObjectSchema(second) && out.get('additionalProperties') === false) {
    if (first.additionalProperties !== false || second.additionalProperties !== false)
      out.delete('additionalProperties')
  }
  return Object.fromEntries(out)
}

/** Merges several schemas; `undefined` where that cannot be done. */
export function mergedAll(parts: readonly SubSchema[]): JsonSchema | undefined {
  let all: JsonSchema | undefined = {}
  for (const part of parts) {
    if (part === true) continue
    if (part === false || all === undefined) return undefined
    all = merged(all, part)
  }
  return all
}

/** Tells whether a schema is one of objects, by its type or by its keywords. */
export const isObjectSchema = (schema: unknown): schema is JsonSchema =>
  isObject(schema) && (typesOf(schema).includes('object') || (schema.type === undefined && isObject(schema.properties)))

function mergedKeyword(key: string, mine: unknown, theirs: unknown, first: JsonSchema, second: JsonSchema): unknown {
  if (key === 'properties') return mergedProperties(propertiesOf(first), propertiesOf(second))
  if (key === 'required') return [...new Set([...requiredOf(first), ...requiredOf(second)])]
  if (key === 'additionalProperties')
    return typeof mine === 'boolean' ? theirs : typeof theirs === 'boolean' ? mine : undefined
  if (key === 'type') return mergedTypes(typesOf(first), typesOf(second))
  if (key === 'enum' && Array.isArray(mine) && Array.isArray(theirs)) {
    const common = mine.filter((value) => theirs.some((other) => sameJson(value, other)))
    return common.length > 0 ? common : undefined
  }
  if (typeof mine === 'number' && typeof theirs === 'number') {
    if (LOWEST.has(key)) return Math.min(mine, theirs)
    if (HIGHEST.has(key)) return Math.max(mine, theirs)
  }
  return undefined
}

function mergedTypes(mine: readonly string[], theirs: readonly string[]): unknown {
  const common = mine.flatMap((type) => {
    if (theirs.includes(type)) return [type]
    if (type === 'integer' && theirs.includes('number')) return [type]
    return type === 'number' && theirs.includes('integer') ? ['integer'] : []
  })
  return common.length > 1 ? common : common[0]
}

function mergedProperties(mine: JsonSchema, theirs: JsonSchema): JsonSchema {
  const out = new Map<string, unknown>(Object.entries(mine))
  for (const [name, other] of Object.entries(theirs)) {
    const own = out.get(name)
    if (own === undefined || own === true) out.set(name, other)
    else if (isObject(own) && isObject(other)) out.set(name, merged(own, other) ?? { allOf: [own, other] })
  }
  return Object.fromEntries(out)
}
