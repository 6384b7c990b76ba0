import { isError, messageOf, shortName, tagOf } from './error-text.js'
import { isPlainJson, MAX_DEPTH, MAX_NODES } from './plain-json.js'

// Values come from tools and are not to be trusted: a getter, a proxy or a `toJSON` may throw, a value may refer to
// itself, and shared parts may unfold without end. What cannot be read becomes a marker in its place.

const CIRCULAR = '[Circular]'
const UNREADABLE = '[unreadable]'
const TOO_DEEP = '[too deep]'
const TOO_LARGE = '[too large]'

/** JSON text of any value, as the table of return values has it. Never throws. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(isPlainJson(value) ? value : plainOf(value)) ?? ''
  } catch {
    // A getter that changes its mind, or a text longer than the engine can hold.
    return text(value)
  }
}

function text(value: unknown): string {
  try {
    return JSON.stringify(plainOf(value)) ?? ''
  } catch {
    return TOO_LARGE
  }
}

/**
 * A copy of any value that is plain JSON: arrays, plain objects, strings, finite numbers, booleans and null. As JSON
 * does, undefined, functions and symbols are left out of objects, and numbers that are not finite are null.
 */
export function plainOf(value: unknown): unknown {
  return new Walk().plain(value, 0)
}

/** A short form of what has no JSON, where there is one: bytes, functions, symbols, expressions. */
export function shortForm(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return shortName(value)
  if (ArrayBuffer.isView(value)) return `[${tagOf(value)} of ${value.byteLength} bytes]`
  const tag = tagOf(value)
  if (tag === 'ArrayBuffer' || tag === 'SharedArrayBuffer') {
    return `[${tag} of ${(value as ArrayBuffer).byteLength} bytes]`
  }
  if (typeof Blob !== 'undefined' && value instanceof Blob) {
    return `[${value.type === '' ? tag : `${tag} ${value.type}`} of ${value.size} bytes]`
  }
  if (tag === 'RegExp') return String(value)
  if (tag === 'Date' && Number.isNaN((value as Date).getTime())) return 'Invalid Date'
  return undefined
}

/** What a value's own `toJSON` gives; nothing where there is none, or where it throws or gives the value itself. */
export function ownJson(value: object): { readonly json: unknown } | undefined {
  try {
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON !== 'function') return undefined
    const json: unknown = toJSON.call(value, '')
    return json === value ? undefined : { json }
  } catch {
    return undefined
  }
}

/** One walk over a value: the objects above the current one, and how much was seen. */
class Walk {
  readonly #above = new Set<object>()
  #nodes = 0

  plain(value: unknown, depth: number): unknown {
    if (++this.#nodes > MAX_NODES) return TOO_LARGE
    switch (typeof value) {
      case 'bigint':
        return String(value)
      case 'number':
        return Number.isFinite(value) ? value : null
      case 'function':
      case 'symbol':
        return shortName(value)
      case 'object':
        break
      default:
        return value
    }
    if (value === null) return null
    if (this.#above.has(value)) return CIRCULAR
    if (depth > MAX_DEPTH) return TOO_DEEP
    this.#above.add(value)
    try {
      return this.#object(value, depth)
    } catch {
      return UNREADABLE
    } finally {
      this.#above.delete(value)
    }
  }

  #object(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#list(value, depth)
    if (isError(value)) return messageOf(value)
    const short = shortForm(value)
    if (short !== undefined) return short
    const own = ownJson(value)
    if (own !== undefined) return this.plain(own.json, depth + 1)
    switch (tagOf(value)) {
      case 'Map':
        return this.#map(value as Map<unknown, unknown>, depth)
      case 'Set':
        return this.#list([...(value as Set<unknown>)], depth)
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt': {
        // Boxed; a plain object may also wear such a tag.
        const inner: unknown = value.valueOf()
        return inner === value ? this.#fields(value, depth) : this.plain(inner, depth + 1)
      }
      default:
        return this.#fields(value, depth)
    }
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const items: unknown[] = []
    for (let index = 0; index < list.length && this.#nodes <= MAX_NODES; index++) {
      let item: unknown = UNREADABLE
      try {
        item = list[index]
      } catch {
        // The marker stands for it.
      }
      items.push(this.plain(item, depth + 1) ?? null)
    }
    return items
  }

  #map(map: Map<unknown, unknown>, depth: number): unknown {
    const entries = [...map]
    if (!entries.every(([key]) => typeof key === 'string')) return this.#list(entries, depth)
    return Object.fromEntries(entries.map(([key, item]) => [key, this.plain(item, depth + 1) ?? null]))
  }

  #fields(value: object, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = []
    for (const key of Object.keys(value)) {
      if (this.#nodes > MAX_NODES) break
      let field: unknown = UNREADABLE
      try {
        field = (value as Record<string, unknown>)[key]
      } catch {
        // The marker stands for it.
      }
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue
      entries.push([key, this.plain(field, depth + 1)])
    }
    // `fromEntries` defines each key, so that an own `__proto__` stays data.
    return Object.fromEntries(entries)
  }
}
