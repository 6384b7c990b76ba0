import fc from 'fast-check'
import { expect } from 'vitest'
import type { JsonSchema } from '../../src/models/model.js'
import { isObject, mapSubSchemas } from '../../src/tools/json-schema.js'

/** Calls a function with a schema and with each schema in it. */
export function eachSchema(schema: JsonSchema, visit: (node: JsonSchema) => void): void {
  visit(schema)
  mapSubSchemas(schema, (inner) => {
    if (isObject(inner)) eachSchema(inner, visit)
    return inner
  })
}

/** Fails unless each object is closed and requires all of its properties. */
export function checkStrict(schema: JsonSchema): void {
  eachSchema(schema, (node) => {
    for (const key of ['oneOf', 'allOf', 'default', 'propertyNames', 'readOnly', 'prefixItems'])
      expect(node).not.toHaveProperty(key)
    if (node.type === 'array') expect(isObject(node.items)).toBe(true)
    if (node.type !== 'object') return
    expect(node.additionalProperties).toBe(false)
    expect(node.required).toEqual(Object.keys(node.properties as object))
  })
}

const note = fc.option(fc.constantFrom('a note', 'another'), { nil: undefined })
const name = fc.constantFrom('a', 'b', 'c', '__proto__', '$ref', 'type')

const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<JsonSchema>(
          { type: 'string' },
          { type: 'integer', default: 3, minimum: 1 },
          { type: ['string', 'null'], format: 'uri' },
          { type: ['string', 'number'] },
          { enum: ['x', 'y', null] },
          { enum: [1, 2] },
          { const: 'k' },
          { const: null },
          { type: 'null' },
          {},
          { type: 'object' },
          { type: 'array' },
          { $ref: '#' },
          { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: '^x' } },
          { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }], items: false },
        ),
        tie('object'),
        tie('schema').map((items) => ({ type: 'array', items })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
      ),
      note,
    )
    .map(([inner, description]) => (description === undefined ? inner : { ...inner, description })),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie('schema'), fc.boolean()), { selector: ([key]) => key, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([entries, closed]) => ({
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, inner]) => [key, inner])),
      required: entries.filter(([, , required]) => required).map(([key]) => key),
      ...(closed && { additionalProperties: false }),
    })),
}))

/** Any schema with an object root, combinators beside it now and then. */
export const anySchema: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, schema, fc.boolean()), { selector: ([key]) => key, maxLength: 4 }),
    fc.option(fc.tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(schema, { minLength: 1, maxLength: 3 })), {
      nil: undefined,
    }),
  )
  .map(([entries, combined]) => ({
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, inner]) => [key, inner])),
    required: entries.filter(([, , required]) => required).map(([key]) => key),
    ...(combined && { [combined[0]]: combined[1] }),
  }))
