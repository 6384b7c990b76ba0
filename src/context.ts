import { ConfigError, got } from './errors.js'
import { thaw } from './internal/freeze.js'
import { isStandardSchema, issuesText, validateStandard } from './internal/standard-schema.js'
import { validator } from './tools/schema.js'

/** A schema of the context, and who declares it. */
export interface ContextSchema {
  readonly owner: string
  readonly schema: unknown
}

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
  for (const { owner, schema } of schemas) {
    // No model sees a context, so it may hold what JSON cannot write.
    const result = await (isStandardSchema(schema) ? validateStandard(schema, given) : validator(schema, owner)(given))
    if (result.issues)
      throw new ConfigError(
        `context: does not fit what ${owner} expects: ${issuesText(result.issues)}; got ${got(context)}`,
      )
    Object.assign(merged, result.value)
  }
  return Object.freeze(thaw(merged))
}
