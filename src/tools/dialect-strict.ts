import type { JsonSchema } from '../models/model.js'
import { areExclusive, withoutAllOf } from './dialect-shapes.js'
import {
  isObject,
  isOfType,
  listOf,
  propertiesOf,
  requiredOf,
  type SubSchema,
  typeOfValue,
  typesOf,
  without,
} from './json-schema.js'

/** Keywords of the documented subset; what else a schema says is left to validation. */
const KEPT = new Set([
  '$ref',
  'const',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'title',
  'type',
])
const FORMATS = new Set(['date', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'time', 'uuid'])
/** Keywords without which a schema would mean something else. */
const REFUSED = ['contains', 'dependentRequired', 'dependentSchemas', 'else', 'if', 'not', 'patternProperties', 'then']

/**
 * The strict form of OpenAI: every object closed, every property required, what was optional nullable. Without a strict
 * form, `problem` says which part stands in the way.
 *
 * Source: OpenAI, Structured Outputs, "Supported schemas".
 */
export function strictSchema(root: JsonSchema): { schema?: JsonSchema; problem?: string } {
  const problems: string[] = []
  const refuse = (path: string, problem: string): JsonSchema => {
    problems.push(`${path === '' ? 'its root' : `"${path}"`} ${problem}`)
    return {}
  }

  const strict = (schema: unknown, path: string, isRoot = false): JsonSchema => {
    if (!isObject(schema)) return refuse(path, schema === false ? 'takes no value' : 'takes any value')
    const node = withoutAllOf(schema, false)
    if (node === undefined) return refuse(path, 'has parts in "allOf" that are not one schema')
    if (typeof node.$ref === 'string') return { $ref: node.$ref }
    const refused = REFUSED.find((key) => key in node)
    if (refused !== undefined) return refuse(path, `has "${refused}"`)

    const kept = Object.entries(node).filter(
      ([key, value]) => KEPT.has(key) && (key !== 'format' || FORMATS.has(String(value))),
    )
    const out: Record<string, unknown> = Object.fromEntries(kept)
    const values = 'const' in node ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined
    const types = typesOf(node)
    if (types.length > 0 && values?.every((value) => !types.some((type) => isOfType(type, value)))) {
      return refuse(path, 'takes no value')
    }
    const branches = branchesOf(node)
    if (branches === undefined) return refuse(path, 'has "oneOf" whose branches may fit together')
    if (types.length === 0 && values !== undefined) {
      const [first, ...others] = [...new Set(values.map(typeOfValue))]
      out.type = others.length > 0 ? [first, ...others] : first
    } else if (types.length === 0 && branches.length === 0) return refuse(path, 'takes any value')

    if (branches.length > 0) {
      // A type beside the branches says the same of each of them.
      delete out.type
      out.anyOf = branches.map((branch) => strict(types.length > 0 ? { type: node.type, ...branch } : branch, path))
      return types.includes('object') ? refuse(path, 'is an object that is a union too') : out
    }
    if (types.includes('array')) out.items = strict('items' in node ? node.items : true, `${path}[]`)
    if (types.includes('object')) Object.assign(out, object(node, path, isRoot))
    return out
  }

  const object = (node: JsonSchema, path: string, isRoot: boolean): JsonSchema => {
    const properties = propertiesOf(node)
    const names = Object.keys(properties)
    const rest = node.additionalProperties
    if (rest !== undefined && rest !== false) return refuse(path, 'is a record, or takes further keys')
    if (names.length === 0 && rest !== false && !isRoot) return refuse(path, 'is an object of any keys')
    const missing = requiredOf(node).find((name) => !Object.hasOwn(properties, name))
    if (missing !== undefined) return refuse(path, `requires "${missing}", which it does not describe`)
    const required = new Set(requiredOf(node))
    const entries = names.map((name) => {
      const property = properties[name]
      const inner = strict(property, path === '' ? name : `${path}.${name}`)
      const isRequired = required.has(name) && !(isObject(property) && 'default' in property)
      return [name, isRequired ? inner : nullable(inner)] as const
    })
    return { properties: Object.fromEntries(entries), required: names, additionalProperties: false }
  }

  const out: Record<string, unknown> = { ...strict(without(root, '$defs'), '', true) }
  if (isObject(root.$defs)) {
    out.$defs = Object.fromEntries(
      Object.entries(root.$defs).map(([name, definition]) => [name, strict(definition, `$defs.${name}`)]),
    )
  }
  return problems.length === 0 ? { schema: out } : { problem: problems.slice(0, 3).join('; ') }
}

/** The branches of a union as those of `anyOf`; `undefined` if "one of" says more than "any of". */
function branchesOf(node: JsonSchema): readonly JsonSchema[] | undefined {
  const any = listOf(node, 'anyOf')
  const one = listOf(node, 'oneOf')
  if (one.length > 0 && (any.length > 0 || !areExclusive(one))) return undefined
  const branches: readonly SubSchema[] = one.length > 0 ? one : any
  return branches.map((branch) => (isObject(branch) ? branch : branch ? {} : { not: {} }))
}

/** Lets a strict schema take `null` too. */
function nullable(schema: JsonSchema): JsonSchema {
  const types = typesOf(schema)
  if (types.includes('null') || schema.const === null) return schema
  if (Array.isArray(schema.anyOf)) {
    const has = schema.anyOf.some((branch) => isObject(branch) && typesOf(branch).includes('null'))
    return has ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  }
  const isSimple = types.length > 0 && !types.includes('object') && !types.includes('array')
  if (isSimple && 'const' in schema) {
    return { ...without(schema, 'const'), type: [...types, 'null'], enum: [schema.const, null] }
  }
  if (isSimple) {
    const values = Array.isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}
    return { ...schema, type: [...types, 'null'], ...values }
  }
  const { description, ...rest } = schema
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] }
}
