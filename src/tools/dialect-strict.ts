import type { JsonSchema } from '../models/model.js'
import { areExclusive, withoutAllOf } from './dialect-shapes.js'
import { isObject, listOf, propertiesOf, requiredOf, type SubSchema, typesOf, without } from './json-schema.js'
import { ANNOTATIONS, merged } from './json-schema-merge.js'
import { isOfType, typeOfValue } from './json-type.js'

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
    if (typeof node.$ref === 'string') {
      // An endpoint takes no words beside a reference; those that only describe can go.
      const isAlone = Object.keys(node).every((key) => key === '$ref' || ANNOTATIONS.has(key))
      return isAlone ? { $ref: node.$ref } : refuse(path, 'refers to a schema and asks for more')
    }
    const refused = REFUSED.find((key) => key in node)
    if (refused !== undefined) return refuse(path, `has "${refused}"`)

    const kept = Object.entries(node).filter(
      ([key, value]) => KEPT.has(key) && (key !== 'format' || FORMATS.has(String(value))),
    )
    const out: Record<string, unknown> = Object.fromEntries(kept)
    const values = 'const' in node ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined
    const types = typesOf(node)
    if (types.length > 0 && values !== undefined) {
      const possible = values.filter((value) => types.some((type) => isOfType(type, value)))
      if (possible.length === 0) return refuse(path, 'takes no value')
      if ('enum' in out) out.enum = possible
    }
    const branches = branchesOf(node)
    if (branches === undefined) return refuse(path, 'has "oneOf" whose branches may fit together')
    if (branches.length > 0) {
      // What stands beside a union holds for each of its branches; one that it contradicts takes no value.
      const { anyOf: _any, oneOf: _one, ...beside } = without(node, ...ANNOTATIONS)
      const possible = branches.map((branch) => merged(branch, beside)).filter((branch) => branch !== undefined)
      if (possible.length === 0) return refuse(path, 'takes no value')
      const notes = Object.fromEntries(kept.filter(([key]) => ANNOTATIONS.has(key)))
      return { ...notes, anyOf: possible.map((branch) => strict(branch, path)) }
    }
    if (types.length === 0) {
      const [first, ...others] = new Set(values?.map(typeOfValue))
      if (first === undefined) return refuse(path, 'takes any value')
      out.type = others.length > 0 ? [first, ...others] : first
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
      return [name, required.has(name) ? inner : nullable(inner)] as const
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
