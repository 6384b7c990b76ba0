import { ConfigError, got } from './errors.js'
import { thaw } from './internal/freeze.js'
import { isStandardSchema, issuesText, type Validation, validateStandard } from './internal/standard-schema.js'
import { validator } from './tools/schema.js'

/** A schema of the context, and who declares it. */
export interface ContextSchema {
  readonly owner: string
  validate(context: unknown): Validation | Promise<Validation>
}

/** Reads a `contextSchema`. @throws ConfigError for what is no schema. */
export const contextSchemaOf = (schema: unknown, owner: string): ContextSchema => ({
  owner,
  // No model sees a context, so it may hold what JSON cannot write.
  validate: isStandardSchema(schema)
    ? (context) => validateStandard(schema, context)
    : validator(schema, `the contextSchema of ${owner}`),
})

/**
 * Parses the context of a run by every schema that the stack declares, and freezes it; a promise only where there is a
 * schema. Rejects with a ConfigError that has the path.
 */
export function readContext(context: unknown, schemas: readonly ContextSchema[]): object | Promise<object> {
  if (schemas.length > 0) return parsed(context, schemas)
  return Object.freeze(thaw({ ...(context as object | undefined) }))
}

async function parsed(context: unknown, schemas: readonly ContextSchema[]): Promise<object> {
  const given = context ?? {}
  const merged: Record<string, unknown> = {}
  for (const { owner, validate } of schemas) {
    const result = await validate(given)
    if (result.issues)
      throw new ConfigError(
        `context: does not fit what ${owner} expects: ${issuesText(result.issues)}; got ${got(context)}`,
      )
    for (const [key, value] of Object.entries(result.value as object)) {
      if (key in merged && !isSame(merged[key], value)) {
        throw new ConfigError(
          `context: ${owner} makes "${key}" ${got(value)}, and another schema makes it ${got(merged[key])}: share one schema, or one default`,
        )
      }
      merged[key] = value
    }
  }
  return Object.freeze(thaw(merged))
}

const isSame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
