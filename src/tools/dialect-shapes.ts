import type { JsonSchema } from '../models/model.js'
import {
  isObject,
  listOf,
  mapObjects,
  propertiesOf,
  requiredOf,
  type SubSchema,
  sameJson,
  typesOf,
  without,
} from './json-schema.js'
import { merged } from './json-schema-merge.js'

/** Keywords that endpoints refuse beside the object at the root. */
const ROOT_COMBINATORS = ['allOf', 'anyOf', 'const', 'else', 'enum', 'if', 'not', 'oneOf', 'then']

/**
 * An object root without combinators: it has the properties of all branches, and requires what every choice requires.
 * A root that is no object, as of a structured answer, stays.
 */
export function flatRoot(root: JsonSchema): JsonSchema {
  if (!typesOf(root).includes('object') || !ROOT_COMBINATORS.some((key) => key in root)) return root
  let properties = propertiesOf(root)
  const required = new Set(requiredOf(root))
  const add = (branch: JsonSchema): readonly string[] => {
    const flat = flatRoot({ ...branch, type: 'object' })
    properties = union(properties, propertiesOf(flat))
    return requiredOf(flat)
  }
  for (const part of listOf(root, 'allOf').filter(isObject)) {
    for (const name of add(part)) required.add(name)
  }
  for (const key of ['anyOf', 'oneOf']) {
    const needs = listOf(root, key).filter(isObject).map(add)
    for (const name of needs[0] ?? []) if (needs.every((need) => need.includes(name))) required.add(name)
  }
  for (const key of ['then', 'else']) if (isObject(root[key])) add(root[key])
  const flat = without(root, ...ROOT_COMBINATORS, 'properties', 'required')
  return { ...flat, properties, ...(required.size > 0 && { required: [...required] }) }
}

/** The properties of both; one that both have may be either. */
function union(mine: JsonSchema, theirs: JsonSchema): JsonSchema {
  const out = new Map<string, unknown>(Object.entries(mine))
  for (const [name, other] of Object.entries(theirs)) {
    const own = out.get(name)
    if (own === undefined || own === true || other === false) {
      if (own === undefined || other !== false) out.set(name, other)
    } else if (isObject(own) && isObject(other) && !sameJson(own, other)) out.set(name, either(own, other))
  }
  return Object.fromEntries(out)
}

function either(own: JsonSchema, other: JsonSchema): JsonSchema {
  const choices = Object.keys(own).join() === 'anyOf' ? listOf(own, 'anyOf') : [own]
  if (choices.some((choice) => isObject(choice) && sameJson(choice, other))) return own
  const values = [...choices, other].map((choice) => (isObject(choice) ? constants(choice) : undefined))
  // Constants of a discriminator are one enumeration.
  if (values.every((list) => list !== undefined) && sameJson(own.type, other.type)) {
    return { ...without(own, 'const'), enum: [...new Set(values.flat())] }
  }
  return { anyOf: [...choices, other] }
}

/** The only values that a schema takes, if it lists them. */
export const constants = (schema: JsonSchema): readonly unknown[] | undefined =>
  'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined

/** Writes tuples as arrays whose items are any of the positions; the positions are enforced by validation. */
export function plainTuples(schema: JsonSchema): JsonSchema {
  const node = mapObjects(schema, plainTuples)
  const key = Array.isArray(node.items) ? 'items' : Array.isArray(node.prefixItems) ? 'prefixItems' : undefined
  if (key === undefined) return node
  const positions = listOf(node, key)
  const rest = key === 'items' ? node.additionalItems : node.items
  const choices: SubSchema[] = []
  for (const one of isObject(rest) ? [...positions, rest] : positions) {
    if (!choices.some((choice) => sameJson(choice, one))) choices.push(one)
  }
  const { length } = positions
  const bound = typeof node.maxItems === 'number' ? Math.min(node.maxItems, length) : length
  return {
    ...without(node, 'items', 'prefixItems', 'additionalItems'),
    items: choices.length === 1 ? choices[0] : choices.length === 0 ? {} : { anyOf: choices },
    ...(rest === false && { maxItems: bound }),
  }
}

/** Makes `allOf` part of the schema; what cannot be merged is left to validation if `loose`, else `undefined`. */
export function withoutAllOf(node: JsonSchema, loose: boolean): JsonSchema | undefined {
  let out = without(node, 'allOf')
  for (const part of listOf(node, 'allOf')) {
    if (!isObject(part)) continue
    const flat = withoutAllOf(part, loose)
    // Two patterns cannot be one: the first stays on the wire.
    const both = flat && (merged(out, flat) ?? ('pattern' in flat ? merged(out, without(flat, 'pattern')) : undefined))
    if (both === undefined && !loose) return undefined
    out = both ?? out
  }
  return out
}

/** Tells whether no value fits two of the branches, by their types or by a property that tells them apart. */
export const areExclusive = (branches: readonly SubSchema[]): boolean =>
  branches.every((one, index) => branches.slice(index + 1).every((other) => areDisjoint(one, other)))

function areDisjoint(one: SubSchema, other: SubSchema): boolean {
  if (!isObject(one) || !isObject(other)) return one === false || other === false
  const mine = constants(one)
  const theirs = constants(other)
  if (mine && theirs) return !mine.some((value) => theirs.some((another) => sameJson(value, another)))
  const types = typesOf(one).map(numeric)
  const others = typesOf(other).map(numeric)
  if (types.length > 0 && others.length > 0 && !types.some((type) => others.includes(type))) return true
  const shared = requiredOf(one).filter((name) => requiredOf(other).includes(name))
  return shared.some((name) => {
    const [left, right] = [propertiesOf(one)[name], propertiesOf(other)[name]]
    return isObject(left) && isObject(right) && areDisjoint(left, right)
  })
}

const numeric = (type: string): string => (type === 'integer' ? 'number' : type)
