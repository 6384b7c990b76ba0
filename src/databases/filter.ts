import { ConfigError, got } from '../errors.js'

/** Tells whether a stored value passes. */
export type Matcher = (value: unknown) => boolean

type Test = (field: Field) => boolean

/** A top-level field of a value, which may be absent. */
interface Field {
  readonly exists: boolean
  readonly value: unknown
}

const ORDERS: Readonly<Record<string, (sign: number) => boolean>> = {
  $gt: (sign) => sign > 0,
  $gte: (sign) => sign >= 0,
  $lt: (sign) => sign < 0,
  $lte: (sign) => sign <= 0,
}

const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists']

/**
 * Makes the matcher of a filter, the one authority for every store: a backend may narrow by its own means, this decides.
 * Keys are top-level fields, taken literally; a field is compared by equality, or by operators, all of which must hold.
 * Comparison across types is false, never coerced; `$ne` and `$nin` are the opposites of `$eq` and `$in`, so they hold
 * for an absent field.
 *
 * @throws ConfigError for an unknown operator, and for an operand that an operator does not take.
 */
export function matcher(filter: Readonly<Record<string, unknown>>): Matcher {
  if (!isRecord(filter)) throw new ConfigError(`filter: expected an object of fields, got ${got(filter)}`)
  const tests = Object.entries(filter).map(([key, condition]) => {
    if (key.startsWith('$')) throw unknownOperator(key, 'filter')
    return [key, testOf(key, condition)] as const
  })
  return (value) => tests.every(([key, test]) => test(fieldOf(value, key)))
}

const fieldOf = (value: unknown, key: string): Field =>
  isRecord(value) && Object.hasOwn(value, key)
    ? { exists: value[key] !== undefined, value: value[key] }
    : { exists: false, value: undefined }

function testOf(key: string, condition: unknown): Test {
  const operators = isRecord(condition) ? Object.keys(condition).filter((name) => name.startsWith('$')) : []
  if (!isRecord(condition) || operators.length === 0) return ({ exists, value }) => exists && equal(value, condition)
  const foreign = Object.keys(condition).find((name) => !name.startsWith('$'))
  if (foreign !== undefined) {
    throw new ConfigError(`filter.${key}: expected operators only, got the field "${foreign}" beside ${operators[0]}`)
  }
  const tests = operators.map((name) => operator(key, name, condition[name]))
  return (field) => tests.every((test) => test(field))
}

function operator(key: string, name: string, operand: unknown): Test {
  const where = `filter.${key}.${name}`
  switch (name) {
    case '$eq':
      return ({ exists, value }) => exists && equal(value, operand)
    case '$ne':
      return ({ exists, value }) => !exists || !equal(value, operand)
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte': {
      const holds = ORDERS[name]
      if (rankOf(operand) === undefined) {
        throw new ConfigError(`${where}: expected a number, a string, a bigint or a Date, got ${got(operand)}`)
      }
      return ({ exists, value }) => {
        const sign = exists ? compare(value, operand) : undefined
        return sign !== undefined && holds?.(sign) === true
      }
    }
    case '$in':
    case '$nin': {
      if (!Array.isArray(operand)) throw new ConfigError(`${where}: expected an array, got ${got(operand)}`)
      const isIn: Test = ({ exists, value }) => exists && operand.some((one) => equal(value, one))
      return name === '$in' ? isIn : (field) => !isIn(field)
    }
    case '$exists':
      if (typeof operand !== 'boolean') throw new ConfigError(`${where}: expected true or false, got ${got(operand)}`)
      return ({ exists }) => exists === operand
    default:
      throw unknownOperator(name, `filter.${key}`)
  }
}

const unknownOperator = (name: string, where: string): ConfigError =>
  new ConfigError(`${where}: unknown operator "${name}"; expected one of ${OPERATORS.join(', ')}`)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** The kind in which a value has an order. */
const rankOf = (value: unknown): string | undefined => {
  if (value instanceof Date) return 'date'
  return ['number', 'string', 'bigint'].includes(typeof value) ? typeof value : undefined
}

function compare(a: unknown, b: unknown): number | undefined {
  if (rankOf(a) === undefined || rankOf(a) !== rankOf(b)) return undefined
  const [left, right] = (a instanceof Date ? [a.getTime(), (b as Date).getTime()] : [a, b]) as [number, number]
  if (left === right) return 0
  if (left < right) return -1
  return left > right ? 1 : undefined
}

/** Equality of stored values, in depth; the order of keys does not matter. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && equal(a.getTime(), b.getTime())
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
    )
  }
  if (a instanceof Map || b instanceof Map) return a instanceof Map && b instanceof Map && equal([...a], [...b])
  if (a instanceof Set || b instanceof Set) return a instanceof Set && b instanceof Set && equal([...a], [...b])
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
    return a instanceof Uint8Array && b instanceof Uint8Array && equal([...a], [...b])
  }
  if (a instanceof URL || b instanceof URL) return a instanceof URL && b instanceof URL && a.href === b.href
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key]))
  )
}
