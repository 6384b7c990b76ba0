import { got, StateError } from '../errors.js'

const MAX_DEPTH = 200
const PROTOTYPE_KEYS = new Set(['constructor', 'prototype'])

/**
 * A deep copy of a value that can be stored: JSON, undefined, bigint, Date, Map, Set, URL, Uint8Array, and numbers that
 * JSON lacks. An Error becomes data (name, message, code, cause). The same object in two places is copied twice.
 *
 * @throws StateError for anything else (functions, symbols, cycles, instances of classes), for keys that could change a
 * prototype, and for more than 200 levels; it names the path.
 */
export const storedCopy = (value: unknown, path: string): unknown => copyOf(value, path, [])

function copyOf(value: unknown, path: string, above: readonly object[]): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw refused(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) throw new StateError(`${path}: expected a value without cycles, got one that holds itself`)
  if (above.length >= MAX_DEPTH) throw new StateError(`${path}: expected at most ${MAX_DEPTH} levels`)
  const inside = [...above, value]
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyOf(item, `${path}[${index}]`, inside))
  if (value instanceof Date) return new Date(value.getTime())
  if (value instanceof URL) return new URL(value.href)
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (value instanceof Map) {
    return new Map(
      [...value].map(([key, item], index) => [
        copyOf(key, `${path}.keys[${index}]`, inside),
        copyOf(item, `${path}.values[${index}]`, inside),
      ]),
    )
  }
  if (value instanceof Set)
    return new Set(Array.from(value, (item, index) => copyOf(item, `${path}[${index}]`, inside)))
  if (value instanceof Error) return copyOf(dataOf(value), path, inside)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw refused(value, path)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const here = `${path}.${key}`
      if (key === '__proto__' || (PROTOTYPE_KEYS.has(key) && typeof item === 'object' && item !== null)) {
        throw new StateError(`${here}: expected no key that could change a prototype`)
      }
      return [key, copyOf(item, here, inside)]
    }),
  )
}

const dataOf = (error: Error): object => {
  const { name, message, cause, code } = error as Error & { readonly code?: unknown }
  return { name, message, ...(code !== undefined && { code }), ...(cause !== undefined && { cause }) }
}

const refused = (value: unknown, path: string): StateError =>
  new StateError(
    `${path}: expected data (JSON, Date, bigint, Map, Set, URL, Uint8Array), got ${got(value)}; store its fields instead`,
  )
