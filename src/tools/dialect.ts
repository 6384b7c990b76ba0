import { ConfigError } from '../errors.js'
import type { JsonSchema, SchemaDialect, ToolDefinition } from '../models/model.js'
import { geminiSchema } from './dialect-gemini.js'
import { flatRoot, plainTuples } from './dialect-shapes.js'
import { strictSchema } from './dialect-strict.js'
import { mapObjects, propertiesOf, someSchema, without } from './json-schema.js'

/** A schema as an endpoint takes it. */
export interface WireSchema {
  readonly schema: JsonSchema
  /** Whether the endpoint may be asked to hold the model to the schema. */
  readonly strict: boolean
  /** Why a schema that should be strict is not. One line, names the subject. */
  readonly warning?: string
}

/** Keys that Anthropic takes as names of properties. */
const SAFE_KEY = /^[a-zA-Z0-9_.-]{1,64}$/

const known = new WeakMap<ToolDefinition, Map<SchemaDialect, WireSchema>>()

/**
 * The schema of a tool's arguments in a dialect; the same object each time for the same tool and dialect. With `openai`
 * a tool that is marked `strict` is written as for `openai-strict`, and with `openai-strict` one that is marked
 * `strict: false` as for `openai`; other dialects have no strict form.
 *
 * @throws {ConfigError} where the endpoint can take no form of the schema.
 */
export function toDialect(tool: ToolDefinition, dialect: SchemaDialect): WireSchema {
  let forms = known.get(tool)
  if (forms === undefined) {
    forms = new Map()
    known.set(tool, forms)
  }
  let wire = forms.get(dialect)
  if (wire === undefined) {
    const isOpenai = dialect === 'openai' || dialect === 'openai-strict'
    const effective = isOpenai && tool.strict !== undefined ? (tool.strict ? 'openai-strict' : 'openai') : dialect
    wire = schemaInDialect(tool.inputSchema, effective, `tool ${JSON.stringify(tool.name)}`)
    forms.set(dialect, wire)
  }
  return wire
}

/**
 * Writes a schema of {@link toJsonSchema} in a dialect; also for structured output. The input is not changed, and
 * nothing that is taken out is lost: values are validated by the user's own schema.
 * `openai-strict` falls back to `openai`, with a warning, where a part cannot be strict.
 *
 * @throws {ConfigError} for a recursive schema in `gemini` and `portable`; for a key in `anthropic` and `portable` that
 * the endpoint refuses.
 */
export function schemaInDialect(schema: JsonSchema, dialect: SchemaDialect, subject: string): WireSchema {
  const flat = plainTuples(flatRoot(withoutSchemaLine(schema)))
  switch (dialect) {
    case 'openai':
      return { schema: flat, strict: false }
    case 'openai-strict': {
      const { schema: strict, problem } = strictSchema(flat)
      if (strict !== undefined) return { schema: strict, strict: true }
      return { schema: flat, strict: false, warning: `${subject} is not sent as strict: ${problem}` }
    }
    case 'anthropic':
      checkKeys(flat, dialect, subject)
      return { schema: flat, strict: false }
    case 'gemini':
      checkFinite(flat, dialect, subject)
      return { schema: geminiSchema(flat, 'keyword'), strict: false }
    case 'portable':
      checkFinite(flat, dialect, subject)
      checkKeys(flat, dialect, subject)
      return { schema: geminiSchema(flat, 'branch'), strict: false }
    default:
      throw new ConfigError(
        `the dialect of ${subject} is ${JSON.stringify(dialect)}: expected "openai", "openai-strict", "anthropic", ` +
          '"gemini" or "portable"',
      )
  }
}

const withoutSchemaLine = (schema: JsonSchema): JsonSchema => mapObjects(without(schema, '$schema'), withoutSchemaLine)

function checkKeys(schema: JsonSchema, dialect: string, subject: string): void {
  someSchema(schema, (node) => {
    const key = Object.keys(propertiesOf(node)).find((name) => !SAFE_KEY.test(name))
    if (key === undefined) return false
    throw new ConfigError(
      `the schema of ${subject} has the property ${JSON.stringify(key)}: expected a name of 1 to 64 letters, digits, ` +
        `"_", "." or "-", since the dialect "${dialect}" takes no other`,
    )
  })
}

function checkFinite(schema: JsonSchema, dialect: string, subject: string): void {
  if (!someSchema(schema, (node) => '$ref' in node)) return
  throw new ConfigError(
    `the schema of ${subject} is recursive, and the dialect "${dialect}" takes no references: write out a few levels, ` +
      'or give the tool to another model',
  )
}
