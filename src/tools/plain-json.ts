/** What is deeper than this, or has more parts, is not looked at to its end: shared parts may unfold without one. */
export const MAX_DEPTH = 200
export const MAX_NODES = 500_000

/** Tells whether JSON.stringify gives the whole of a value and nothing else; a look without copying. */
export const isPlainJson = (value: unknown): boolean => isPlain(value, 0, { left: MAX_NODES })

function isPlain(value: unknown, depth: number, budget: { left: number }): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return true
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth > MAX_DEPTH || --budget.left < 0) return false
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype) return false
    for (const item of value) if (!isPlain(item, depth + 1, budget)) return false
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  const fields = value as Record<string, unknown>
  for (const key in fields) {
    if (key === 'toJSON' || !Object.hasOwn(fields, key)) return false
    const field = fields[key]
    if (field !== undefined && !isPlain(field, depth + 1, budget)) return false
  }
  return true
}
