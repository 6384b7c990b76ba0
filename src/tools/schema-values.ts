import type { JsonSchema } from '../models/model.js'
import {
  DATE,
  follow,
  isObject,
  listOf,
  pointerOf,
  propertiesOf,
  requiredOf,
  type SubSchema,
  sameJson,
  typesOf,
} from './json-schema.js'
import { isOfType } from './json-type.js'

// Loaded with the first check that needs it: most arguments are checked as they are.

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/

/**
 * Takes out each `null` that a strict model had to write: where the user's schema has an optional property (one with a
 * default is) that is not nullable. At every depth; the value itself is not changed. `schema` is that of the input side.
 */
export const withoutNulls = (schema: JsonSchema, value: unknown): unknown => reshaper(schema, 'nulls')(value)

/** Makes a Date of each ISO 8601 text where the schema is marked with {@link DATE}; the value itself is not changed. */
export const withDates = (schema: JsonSchema, value: unknown): unknown => reshaper(schema, 'dates')(value)

/** Drops own `__proto__` keys at every depth, so that no later merge can apply them. Copies only where there is one. */
export function withoutPrototypeKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapped(value, withoutPrototypeKeys)
  const entries = Object.entries(value)
  const kept = entries.filter(([key]) => key !== '__proto__')
  let changed = kept.length < entries.length
  const out = kept.map(([key, inner]) => {
    const next = withoutPrototypeKeys(inner)
    changed ||= next !== inner
    return [key, next] as const
  })
  return changed ? Object.fromEntries(out) : value
}

function mapped(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  const out = list.map(change)
  return out.some((item, index) => item !== list[index]) ? out : list
}

const reshapers = { nulls: new WeakMap<JsonSchema, Reshape>(), dates: new WeakMap<JsonSchema, Reshape>() }

type Reshape = (value: unknown) => unknown

function reshaper(root: JsonSchema, mode: 'nulls' | 'dates'): Reshape {
  let known = reshapers[mode].get(root)
  if (known === undefined) {
    known = createReshaper(root, mode)
    reshapers[mode].set(root, known)
  }
  return known
}

function createReshaper(root: JsonSchema, mode: 'nulls' | 'dates'): Reshape {
  const reshape = (schema: unknown, value: unknown): unknown => {
    if (typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && mode === 'nulls'))
      return value
    const node = dereferenced(root, schema)
    if (!isObject(node)) return value
    let out = value
    if (typeof out === 'string' && mode === 'dates' && node[DATE] === true) out = dateOf(out)
    else if (Array.isArray(out)) out = mapped(out, (item, index) => reshape(itemSchema(node, index), item))
    else if (isObject(out) && !(out instanceof Date)) out = object(node, out)
    if (node.allOf !== undefined) for (const part of listOf(node, 'allOf')) out = reshape(part, out)
    if (node.anyOf !== undefined) out = inUnion(listOf(node, 'anyOf'), out)
    if (node.oneOf !== undefined) out = inUnion(listOf(node, 'oneOf'), out)
    return out
  }

  /** Reshapes as the first branch asks that the outcome fits. */
  const inUnion = (branches: readonly unknown[], value: unknown): unknown => {
    for (const branch of branches) {
      const candidate = reshape(branch, value)
      if (fits(branch, candidate)) return candidate
    }
    return value
  }

  const object = (node: JsonSchema, value: JsonSchema): JsonSchema => {
    let copy: Record<string, unknown> | undefined
    const known = propertiesOf(node)
    const rest = isObject(node.additionalProperties) ? node.additionalProperties : undefined
    for (const key of Object.keys(rest === undefined ? known : value)) {
      if (!Object.hasOwn(value, key) || key === '__proto__') continue
      const inner = value[key]
      const schema = Object.hasOwn(known, key) ? known[key] : rest
      if (
        inner === null &&
        mode === 'nulls' &&
        Object.hasOwn(known, key) &&
        !requiredOf(node).includes(key) &&
        !isNullable(schema)
      ) {
        copy ??= { ...value }
        delete copy[key]
      } else {
        const next = reshape(schema, inner)
        if (next !== inner) {
          copy ??= { ...value }
          copy[key] = next
        }
      }
    }
    return copy ?? value
  }

  const isNullable = (schema: unknown): boolean => fits(schema, null)

  /** Whether a value has the shape of a schema; bounds and patterns are left to validation. */
  const fits = (schema: unknown, value: unknown): boolean => {
    const node = dereferenced(root, schema)
    if (!isObject(node)) return node
    if (mode === 'dates' && node[DATE] === true) return value instanceof Date
    const types = typesOf(node)
    if (types.length > 0 && !types.some((type) => isOfType(type, value))) return false
    if ('const' in node && !sameJson(node.const, value)) return false
    if (Array.isArray(node.enum) && !node.enum.some((one) => sameJson(one, value))) return false
    if (isObject(node.not) && Object.keys(node.not).length === 0) return false
    if (Array.isArray(value)) {
      if (!value.every((item, index) => fits(itemSchema(node, index), item))) return false
    } else if (isObject(value) && !(value instanceof Date)) {
      if (!requiredOf(node).every((key) => Object.hasOwn(value, key))) return false
      const known = propertiesOf(node)
      const rest = node.additionalProperties ?? true
      const inside = Object.keys(value).every((key) => fits(Object.hasOwn(known, key) ? known[key] : rest, value[key]))
      if (!inside) return false
    }
    if (!listOf(node, 'allOf').every((part) => fits(part, value))) return false
    return ['anyOf', 'oneOf'].every((key) => {
      const branches = listOf(node, key)
      return branches.length === 0 || branches.some((branch) => fits(branch, value))
    })
  }

  return (value) => reshape(root, value)
}

/** A schema, or what its references lead to. A chain that leads nowhere or in a circle allows everything. */
export function dereferenced(root: JsonSchema, schema: unknown): SubSchema {
  let at = schema
  for (let hops = 0; hops < 16; hops++) {
    if (!isObject(at)) return at !== false
    if (typeof at.$ref !== 'string') return at
    const pointer = pointerOf(at.$ref)
    at = pointer && follow(root, pointer)
  }
  return true
}

function dateOf(text: string): unknown {
  if (!ISO_DATE.test(text)) return text
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : date
}

/** The schema of one item of an array; `items` may be a list, as in drafts up to 2019-09. */
function itemSchema(node: JsonSchema, index: number): unknown {
  const positions = Array.isArray(node.items) ? node.items : Array.isArray(node.prefixItems) ? node.prefixItems : []
  if (index < positions.length) return positions[index]
  return (Array.isArray(node.items) ? node.additionalItems : node.items) ?? true
}
