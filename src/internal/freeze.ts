// Only plain arrays and objects are followed: a Date, a Map or a class instance in an artifact is the tool's own.

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Tells whether a plain value and all plain values in it are frozen. */
export function isFrozenDeep(value: unknown): boolean {
  if (Array.isArray(value)) return Object.isFrozen(value) && value.every(isFrozenDeep)
  if (!isPlain(value)) return true
  if (!Object.isFrozen(value)) return false
  for (const key of Object.keys(value)) if (!isFrozenDeep(value[key])) return false
  return true
}

/** A copy of a plain value whose parts are frozen copies, while its root is still open. Cycles are kept as they are. */
export function thaw<T>(value: T): T {
  return copyOf(value, undefined) as T
}

function copyOf(value: unknown, above: readonly unknown[] | undefined): unknown {
  if (!Array.isArray(value) && !isPlain(value)) return value
  if (above?.includes(value)) return value
  const path = above === undefined ? [value] : [...above, value]
  if (Array.isArray(value)) return value.map((item) => frozenCopy(item, path))
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const item = frozenCopy(value[key], path)
    // An own `__proto__` key from parsed JSON is data: assigning it would change the copy's prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true })
    else copy[key] = item
  }
  return copy
}

function frozenCopy(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value) || isFrozenDeepAcyclic(value)) return value
  const copy = copyOf(value, above)
  return copy === value ? value : Object.freeze(copy)
}

// A frozen cyclic value would send isFrozenDeep round for ever, so only what is shallow is asked.
const isFrozenDeepAcyclic = (value: object): boolean =>
  Object.isFrozen(value) && Object.values(value).every((item) => typeof item !== 'object' || item === null)

/** Freezes a plain value in depth, in place; for what Cepa made itself. */
export function freezeDeep<T>(value: T): T {
  if (Array.isArray(value)) for (const item of value) freezeDeep(item)
  else if (isPlain(value)) for (const key of Object.keys(value)) freezeDeep(value[key])
  else return value
  return Object.isFrozen(value) ? value : Object.freeze(value)
}
