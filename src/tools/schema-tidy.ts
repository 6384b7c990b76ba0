import type { JsonSchema } from '../models/model.js'
import { isObject, listOf, mapObjects, requiredOf, type SubSchema, typesOf, without } from './json-schema.js'
import { isObjectSchema, merged, mergedAll } from './json-schema-merge.js'

/** Formats that models know by name, so that a long pattern beside them only costs tokens. */
const KNOWN_FORMATS = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'idn-email',
  'ipv4',
  'ipv6',
  'time',
  'uri',
  'url',
  'uuid',
])
/** A pattern that a person wrote beside a format says more than the format; those of libraries are longer than this. */
const LONG_PATTERN = 60
const BOUNDS = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

/**
 * Takes out of a self-contained schema what says nothing: `$schema`, empty `required`, bounds that are those of
 * numbers, patterns of known formats. Gives each object its `properties`, and makes an intersection of objects one.
 */
export function tidied(schema: JsonSchema): JsonSchema {
  const { title: _title, $id: _id, ...root } = tidy(schema)
  return root
}

function tidy(node: JsonSchema): JsonSchema {
  let out = mapObjects(without(node, '$schema', '$anchor'), tidy)
  out = withoutBounds(withoutLongPatterns(joined(out)))
  if (isAnyName(out.propertyNames)) out = without(out, 'propertyNames')
  if ('required' in out && requiredOf(out).length === 0) out = without(out, 'required')
  if (!typesOf(out).includes('object'))
    return 'properties' in out && !isObject(out.properties) ? without(out, 'properties') : out
  return isObject(out.properties) ? out : { ...out, properties: {} }
}

/** A name is always a text, so one of any text says nothing, and one of a number is never met. */
const isAnyName = (names: unknown): boolean =>
  isObject(names) && (Object.keys(names).join() === 'type' || ['number', 'integer'].includes(String(names.type)))

/** Makes `allOf` one schema where it is one reference or one schema, or only objects. */
function joined(node: JsonSchema): JsonSchema {
  const parts = listOf(node, 'allOf')
  if (parts.length === 0) return node
  const rest = without(node, 'allOf')
  const only: SubSchema | undefined = parts.length === 1 ? parts[0] : undefined
  if (only === undefined && !parts.every(isObjectSchema)) return node
  const all = only ?? mergedAll(parts)
  return (isObject(all) && merged(rest, all)) || node
}

function withoutLongPatterns(node: JsonSchema): JsonSchema {
  if (typeof node.format !== 'string' || !KNOWN_FORMATS.has(node.format)) return node
  return typeof node.pattern === 'string' && node.pattern.length > LONG_PATTERN ? without(node, 'pattern') : node
}

function withoutBounds(node: JsonSchema): JsonSchema {
  const empty = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].filter((key) => BOUNDS.has(node[key]))
  return empty.length === 0 ? node : without(node, ...empty)
}
