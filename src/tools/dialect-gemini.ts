import type { JsonSchema } from '../models/model.js'
import { constants, withoutAllOf } from './dialect-shapes.js'
import { isObject, listOf, propertiesOf, requiredOf, typesOf, without } from './json-schema.js'
import { merged } from './json-schema-merge.js'
import { typeOfValue } from './json-type.js'

/** Keywords of the endpoint's own schema type; any other is an unknown name, and the request is refused. */
const KEPT = [
  'description',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'title',
] as const

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

/**
 * The subset of JSON Schema that Gemini takes. `null` is the keyword `nullable`, or a branch of a union, which other
 * endpoints read too. What a description can say of what was dropped (formats, numbers to choose from), it says.
 *
 * Source: the Gemini API reference, type Schema.
 */
export function geminiSchema(schema: JsonSchema, nulls: 'keyword' | 'branch'): JsonSchema {
  const orNull = (inner: JsonSchema): JsonSchema => {
    if (isNull(inner)) return inner
    if (nulls === 'keyword') return { ...inner, nullable: true }
    if (Array.isArray(inner.anyOf)) {
      return inner.anyOf.some(isNull) ? inner : { ...inner, anyOf: [...inner.anyOf, { type: 'null' }] }
    }
    const { description, ...rest } = inner
    return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] }
  }

  /** What stands alone: where `null` is no type, a text that may be null. */
  const placed = (inner: unknown): JsonSchema => {
    const out = convert(inner)
    return isNull(out) && nulls === 'keyword' ? { type: 'string', nullable: true } : out
  }

  const convert = (whole: unknown): JsonSchema => {
    if (!isObject(whole)) return {}
    const node = withoutAllOf(whole, true) ?? {}
    const values = constants(node)
    const listed = typesOf(node).length > 0 ? typesOf(node) : [...new Set((values ?? []).map(typeOfValue))]
    const types = listed.filter((type) => type !== 'null')
    const isNullable = listed.includes('null') || node.nullable === true || (values?.includes(null) ?? false)
    if (listed.length > 0 && types.length === 0) return { type: 'null' }

    const unions = [...listOf(node, 'anyOf'), ...listOf(node, 'oneOf')]
    if (unions.length > 0) return union(node, unions, isNullable)
    if (types.length > 1) {
      const rest = without(node, 'description', 'title', 'type', 'enum', 'const')
      const branches = types.map((type) => {
        const own = values?.filter(
          (value) => typeOfValue(value) === type || (type === 'number' && typeof value === 'number'),
        )
        return { ...rest, type, ...(own && { enum: own }) }
      })
      return union(without(node, 'type', 'enum', 'const', ...Object.keys(rest)), branches, isNullable)
    }

    const [type] = types
    const hints: string[] = []
    const out: Record<string, unknown> = {}
    if (type !== undefined) out.type = type
    for (const key of KEPT) if (key in node) out[key] = node[key]
    if (node.format === 'date-time') out.format = node.format
    else if (typeof node.format === 'string') hints.push(`Format: ${node.format}.`)
    // Only bounds that include their number exist.
    if (typeof node.exclusiveMinimum === 'number') out.minimum ??= node.exclusiveMinimum + (type === 'integer' ? 1 : 0)
    if (typeof node.exclusiveMaximum === 'number') out.maximum ??= node.exclusiveMaximum - (type === 'integer' ? 1 : 0)
    const choices = values?.filter((value) => value !== null)
    if (choices && type === 'string') out.enum = choices
    else if (choices) hints.push(`One of: ${choices.map((value) => JSON.stringify(value)).join(', ')}.`)
    if (type === 'array') out.items = placed(node.items)
    if (type === 'object') {
      const properties = propertiesOf(node)
      out.properties = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, placed(inner)]))
      const required = requiredOf(node).filter((name) => Object.hasOwn(properties, name))
      if (required.length > 0) out.required = required
    }
    const text = [typeof node.description === 'string' ? node.description : '', ...hints].filter((part) => part !== '')
    // Written again from its own output, a schema says nothing twice.
    if (text.length > 0) out.description = text.join(' ')
    return isNullable ? orNull(out) : out
  }

  const union = (node: JsonSchema, branches: readonly unknown[], isNullable: boolean): JsonSchema => {
    const converted = branches.map(convert)
    const rest = converted.filter((branch) => !isNull(branch))
    const [only] = rest
    if (only === undefined) return { type: 'null' }
    const notes = Object.fromEntries(['description', 'title'].flatMap((key) => (key in node ? [[key, node[key]]] : [])))
    const out: JsonSchema = rest.length === 1 ? (merged(notes, only) ?? only) : { ...notes, anyOf: rest }
    return isNullable || rest.length < converted.length ? orNull(out) : out
  }

  return placed(schema)
}
