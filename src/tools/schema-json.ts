import type { Validation } from '../internal/standard-schema.js'
import type { JsonSchema } from '../models/model.js'
import { isObject, mapObjects } from './json-schema.js'
import { unicodePattern } from './schema-patterns.js'
import { seldom } from './seldom.js'

/**
 * Makes the check of a value by a plain JSON Schema, in full: formats, conditions, references. The schema is copied.
 * The package that validates is loaded with the first check of all, so that one gives a promise; later ones do not.
 *
 * @throws {ConfigError} where a pattern is no regular expression.
 */
export function jsonSchemaValidator(
  schema: JsonSchema,
  subject: string,
): (value: unknown) => Validation | Promise<Validation> {
  const copy = sound(JSON.parse(JSON.stringify(schema)), subject)
  let check: ((value: unknown) => Validation | Promise<Validation>) | undefined
  return (value) =>
    seldom(({ createJsonCheck }) => {
      check ??= createJsonCheck(copy, subject)
      return check(value)
    })
}

/**
 * Takes out what peers send and the validator cannot read, and makes patterns those of a Unicode expression. Names of
 * schemas go too: references are by place, and the validator refuses a name that is there twice.
 */
function sound(node: JsonSchema, subject: string): JsonSchema {
  const out: Record<string, unknown> = {
    ...mapObjects(node, (inner) => sound(inner, subject)),
  }
  for (const key of Object.keys(out)) {
    const isName = (key === '$id' || key === 'id' || key === '$anchor') && typeof out[key] === 'string'
    if (isName || (out[key] === null && key !== 'const' && key !== 'default')) delete out[key]
  }
  if (typeof out.pattern === 'string') out.pattern = unicodePattern(out.pattern, subject)
  if (isObject(out.patternProperties)) {
    const entries = Object.entries(out.patternProperties).map(([key, inner]) => [unicodePattern(key, subject), inner])
    out.patternProperties = Object.fromEntries(entries)
  }
  return out
}
