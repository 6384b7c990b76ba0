import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ConfigError } from '../../src/errors.js'
import type { JsonSchema, SchemaDialect } from '../../src/models/model.js'
import { schemaInDialect } from '../../src/tools/dialect.js'
import { toObjectSchema, validator } from '../../src/tools/schema.js'
import { anySchema, eachSchema } from './dialect-kinds.js'
import { ZODS } from './schema-kinds.js'

const ALL: readonly SchemaDialect[] = ['openai', 'openai-strict', 'anthropic', 'gemini', 'portable']
const wireOf = (schema: JsonSchema, dialect: SchemaDialect) => schemaInDialect(schema, dialect, 'tool "t"').schema
const property = (inner: JsonSchema, dialect: SchemaDialect) =>
  (wireOf({ type: 'object', properties: { p: inner }, required: ['p'] }, dialect).properties as JsonSchema).p

describe('case 108: a tuple is an array of bounded length, and its positions are enforced', () => {
  it.each(ZODS)('%s', async (_library, z) => {
    const schema = z.object({
      pages: z.tuple([z.number().int(), z.number().int()]),
      mixed: z.tuple([z.string(), z.number()]),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
    })
    const json = toObjectSchema(schema, 't')
    for (const dialect of ALL) {
      const wire = wireOf(json, dialect)
      eachSchema(wire, (node) => {
        expect(Array.isArray(node.items), dialect).toBe(false)
        expect(node, dialect).not.toHaveProperty('prefixItems')
      })
      expect(wire.properties, dialect).toMatchObject({
        pages: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
        mixed: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] }, minItems: 2, maxItems: 2 },
        box: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
      })
    }
    const good = { pages: [1, 2], mixed: ['a', 1], box: [1, 2, 3, 4] }
    expect(await validator(schema, 't')(good)).toEqual({ value: good })
    for (const wrong of [{ pages: ['a'] }, { pages: [1] }, { mixed: [1, 'a'] }, { box: [1, 2, 3, 4, 5] }]) {
      expect((await validator(schema, 't')({ ...good, ...wrong })).issues?.length).toBeGreaterThan(0)
    }
  })

  it('with a rest, and in either form of JSON Schema', () => {
    const rest = toObjectSchema(z.object({ p: z.tuple([z.string()], z.number()) }), 't')
    expect(wireOf(rest, 'openai').properties).toEqual({
      p: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] }, minItems: 1 },
    })
    const two = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'string' }], items: false }
    expect(property(two, 'gemini')).toEqual({ type: 'array', items: { type: 'string' }, maxItems: 2 })
  })
})

describe('case 104: combinators beside an object root', () => {
  it('are flattened on the wire and enforced in full', async () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      anyOf: [
        { properties: { kind: { const: 'a' }, a: { type: 'string' } }, required: ['kind', 'a'] },
        { properties: { kind: { const: 'b' }, b: { type: 'number' } }, required: ['kind', 'b'] },
      ],
      allOf: [{ properties: { extra: { type: 'boolean' } }, required: ['extra'] }],
      if: { required: ['x'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { x: { type: 'string' } }, required: ['y'] },
      not: { required: ['z'] },
    }
    const json = toObjectSchema(schema, 't')
    for (const dialect of ['openai', 'anthropic'] as const) {
      expect(wireOf(json, dialect)).toEqual({
        type: 'object',
        properties: {
          id: { type: 'string' },
          extra: { type: 'boolean' },
          kind: { enum: ['a', 'b'] },
          a: { type: 'string' },
          b: { type: 'number' },
          x: { type: 'string' },
        },
        required: ['id', 'extra', 'kind'],
      })
    }
    const validate = validator(schema, 't')
    expect(await validate({ id: '1', extra: true, kind: 'a', a: 'x' })).toMatchObject({ value: {} })
    for (const wrong of [
      { kind: 'a' },
      { kind: 'b', a: 'x' },
      { kind: 'a', a: 'x', z: 1 },
      { kind: 'a', a: 'x', x: 'x' },
    ]) {
      expect((await validate({ id: '1', extra: true, ...wrong })).issues).toBeDefined()
    }
  })

  it('case 117: the wire is simpler than the schema that validates', async () => {
    const long = `^${'[0-9]'.repeat(20)}$`
    const schema = { type: 'object', properties: { id: { type: 'string', format: 'uuid', pattern: long } } }
    expect(property(schema.properties.id, 'gemini')).toMatchObject({ type: 'string' })
    expect(toObjectSchema(schema, 't').properties).toEqual({ id: { type: 'string', format: 'uuid' } })
    expect((await validator(schema, 't')({ id: 'abc' })).issues).toBeDefined()
  })
})

describe('gemini and portable', () => {
  it.each<[JsonSchema, JsonSchema, JsonSchema]>([
    [{ const: 'a' }, { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
    [
      { type: 'integer', enum: [1, 2], description: 'n' },
      { type: 'integer', description: 'n One of: 1, 2.' },
      { type: 'integer', description: 'n One of: 1, 2.' },
    ],
    [
      { type: ['string', 'null'] },
      { type: 'string', nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
      { type: 'string', nullable: true, description: 'd' },
      { description: 'd', anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      { type: ['string', 'number'] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [{ type: 'array' }, { type: 'array', items: {} }, { type: 'array', items: {} }],
    [{ type: 'null' }, { type: 'string', nullable: true }, { type: 'null' }],
    [
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 1 },
      { type: 'integer', minimum: 1 },
    ],
    [
      { type: 'string', format: 'email', default: 'x', readOnly: true },
      { type: 'string', description: 'Format: email.' },
      { type: 'string', description: 'Format: email.' },
    ],
    [
      { type: 'object', properties: {}, additionalProperties: { type: 'string' }, propertyNames: { pattern: 'x' } },
      { type: 'object', properties: {} },
      { type: 'object', properties: {} },
    ],
    [
      {
        allOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', minLength: 2, pattern: 'x' },
        ],
      },
      { type: 'string', minLength: 2, pattern: 'x' },
      { type: 'string', minLength: 2, pattern: 'x' },
    ],
  ])('%j', (schema, gemini, portable) => {
    expect(property(schema, 'gemini')).toEqual(gemini)
    expect(property(schema, 'portable')).toEqual(portable)
  })

  it('case 106: refuse a recursive schema with the name of the tool; the others take it', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } } }
    for (const dialect of ['gemini', 'portable'] as const) {
      expect(() => wireOf(tree, dialect)).toThrow(ConfigError)
      expect(() => wireOf(tree, dialect)).toThrow(/tool "t" is recursive/)
    }
    for (const dialect of ['openai', 'openai-strict', 'anthropic'] as const)
      expect(JSON.stringify(wireOf(tree, dialect))).toContain('"#"')
  })

  it('anthropic and portable refuse keys that their endpoint refuses', () => {
    const schema = { type: 'object', properties: { o: { type: 'object', properties: { 'a b': { type: 'string' } } } } }
    for (const dialect of ['anthropic', 'portable'] as const) {
      expect(() => wireOf(schema, dialect)).toThrow(/tool "t" has the property "a b"/)
    }
    for (const dialect of ['openai', 'gemini'] as const)
      expect(JSON.stringify(wireOf(schema, dialect))).toContain('a b')
  })
})

describe('any dialect', () => {
  const attempt = (schema: JsonSchema, dialect: SchemaDialect): JsonSchema | undefined => {
    try {
      return wireOf(schema, dialect)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return undefined
    }
  }

  it.each(ALL)('%s: does not change its input, is stable, and has a plain object at the root', (dialect) => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const before = JSON.stringify(schema)
        const wire = attempt(schema, dialect)
        expect(JSON.stringify(schema)).toBe(before)
        if (wire === undefined) return
        expect(wireOf(wire, dialect)).toEqual(wire)
        expect(wire.type).toBe('object')
        for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$schema'])
          expect(wire).not.toHaveProperty(key)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['gemini', 'portable'] as const)('%s: has only the keywords that the endpoint knows', (dialect) => {
    const known = new Set(
      'anyOf description enum format items maxItems maxLength maximum minItems minLength minimum nullable pattern properties required title type'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(anySchema, (schema) => {
        const wire = attempt(schema, dialect)
        if (wire === undefined) return
        eachSchema(wire, (node) => {
          expect(Object.keys(node).filter((key) => !known.has(key))).toEqual([])
          expect(Array.isArray(node.type)).toBe(false)
          if (node.type === 'array') expect(node).toHaveProperty('items')
          if (dialect === 'portable') expect(node).not.toHaveProperty('nullable')
        })
      }),
      { numRuns: 300 },
    )
  })

  it('an unknown dialect is refused with those that there are', () => {
    expect(() => wireOf({ type: 'object', properties: {} }, 'cohere' as SchemaDialect)).toThrow(/expected "openai"/)
  })
})
