/** The JSON Schema type of a value; a Date, which JSON has not, is of type `date`. */
export function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Date) return 'date'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Tells whether a value is of a JSON Schema type. */
export const isOfType = (type: string, value: unknown): boolean => {
  const actual = typeOfValue(value)
  return type === actual || (type === 'number' && actual === 'integer')
}
