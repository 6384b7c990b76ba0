import type { JsonSchema } from '../models/model.js'
import { converter } from './converters.js'
import { DATE } from './json-schema.js'

type Convert = ReturnType<typeof converter<'zod-to-json-schema'>>['zodToJsonSchema']
type Zod3 = Parameters<Convert>[0]
type Override = Exclude<Parameters<Convert>[1], string | undefined>['override']
type Definition = Parameters<NonNullable<Override>>[0] & {
  readonly typeName?: string
  readonly coerce?: boolean
  readonly unknownKeys?: string
  readonly catchall?: { readonly _def: { readonly typeName?: string } }
  readonly value?: unknown
}

/** Notes a part that JSON cannot write: what it is, and its path of keywords. */
export type Refuse = (kind: string, path: readonly (string | number)[]) => void

/** Types of zod 3 whose values JSON cannot write, though the converter has a form for some of them. */
const NOT_JSON = new Set([
  'ZodBigInt',
  'ZodFunction',
  'ZodMap',
  'ZodNaN',
  'ZodSet',
  'ZodSymbol',
  'ZodUndefined',
  'ZodVoid',
])

/**
 * JSON Schema of a zod 3 schema, on the input side. Recursion becomes `$defs`; the converter's own references by path
 * are not used, since they lead astray in unions and intersections.
 */
export function fromZod3(schema: unknown, refuse: Refuse, subject: string): JsonSchema {
  const library = converter('zod-to-json-schema', subject)
  const names = new Map<unknown, string>()
  const waiting: unknown[] = []

  const convert = (root: { readonly _def: unknown }): JsonSchema =>
    library.zodToJsonSchema(root as Zod3, {
      $refStrategy: 'none',
      pipeStrategy: 'input',
      effectStrategy: 'input',
      override: (definition, refs, seen, forced) => {
        const def = definition as Definition
        if (NOT_JSON.has(def.typeName ?? '') || (def.typeName === 'ZodLiteral' && !isJsonLiteral(def.value))) {
          refuse(def.typeName ?? 'unknown', refs.currentPath)
          return {}
        }
        if (def.typeName === 'ZodDate') {
          const description = def.description === undefined ? {} : { description: def.description }
          return { type: 'string', format: 'date-time', ...(def.coerce ? {} : { [DATE]: true }), ...description }
        }
        const inside = seen?.path.every((part, index) => refs.currentPath[index] === part)
        if (!inside || forced) return library.ignoreOverride
        const known = names.get(definition)
        const name = known ?? `schema${names.size}`
        if (known === undefined) {
          names.set(definition, name)
          waiting.push(definition)
        }
        return { $ref: `#/$defs/${name}` }
      },
      // An object that strips what it does not know is not closed to the one who writes it.
      postProcess: (json, definition) => {
        const def = definition as Definition
        const strips = def.unknownKeys === 'strip' && def.catchall?._def.typeName === 'ZodNever'
        if (def.typeName !== 'ZodObject' || !strips || json === undefined) return json
        const { additionalProperties: _closed, ...open } = json as Record<string, unknown>
        return open
      },
    }) as JsonSchema

  const root = convert(schema as { readonly _def: unknown })
  const definitions: Record<string, JsonSchema> = {}
  for (let definition = waiting.shift(); definition !== undefined; definition = waiting.shift()) {
    definitions[names.get(definition) ?? ''] = convert({ _def: definition })
  }
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

const isJsonLiteral = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
