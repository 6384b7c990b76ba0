import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ConfigError } from '../../src/errors.js'
import { checkArgumentNames, toObjectSchema, validator } from '../../src/tools/schema.js'
import { ZODS } from './schema-kinds.js'

describe('case 104: the root of arguments is an object', () => {
  it.each(ZODS)(
    '%s: a union, and what is no object at all, are refused with the name and the way out',
    (_library, z) => {
      const a = z.object({ t: z.literal('a') })
      const b = z.object({ t: z.literal('b'), n: z.number() })
      for (const union of [z.union([a, b]), z.discriminatedUnion('t', [a, b])]) {
        expect(() => toObjectSchema(union, 'tool "pick"')).toThrow(ConfigError)
        expect(() => toObjectSchema(union, 'tool "pick"')).toThrow(/tool "pick".*got a union.*put the union in a field/)
      }
      for (const root of [z.string(), z.array(a), z.any(), z.null(), z.enum(['x']), z.number().optional()]) {
        expect(() => toObjectSchema(root, 'tool "pick"')).toThrow(/tool "pick" must be an object at its root/)
      }
    },
  )

  it.each(ZODS)('%s: an intersection of objects is one object', async (_library, z) => {
    const schema = z.intersection(
      z.object({ a: z.string() }),
      z.intersection(z.object({ b: z.number() }), z.object({ c: z.any() })),
    )
    const json = toObjectSchema(z.object({ x: schema }).and(z.object({ d: z.string().optional() })), 't')
    expect(json).toMatchObject({
      type: 'object',
      properties: { d: { type: 'string' }, x: { type: 'object', properties: { a: {}, b: {}, c: {} } } },
      required: ['x'],
    })
    expect(JSON.stringify(json)).not.toContain('allOf')
    expect(await validator(schema, 't')({ a: 'a', b: 1, c: 2 })).toEqual({ value: { a: 'a', b: 1, c: 2 } })
  })

  it('a record is an object, and JSON Schema with combinators beside an object root stays whole', async () => {
    expect(toObjectSchema(z.record(z.string(), z.number()), 't')).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: { type: 'number' },
    })
    const schema = { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    expect(toObjectSchema(schema, 't')).toEqual(schema)
    expect(await validator(schema, 't')({})).toMatchObject({ issues: [{ path: 'a' }] })
    expect(() => toObjectSchema({ anyOf: [schema, schema] }, 'tool "t"')).toThrow(/got a union/)
    expect(() => toObjectSchema({ type: 'string' }, 'tool "t"')).toThrow(/got "string"/)
    expect(
      toObjectSchema({ allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] }, 't'),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      allOf: [{ required: ['a'] }],
    })
  })

  it('no schema takes no arguments', () => {
    expect(toObjectSchema(undefined, 't')).toEqual({ type: 'object', properties: {} })
    const validate = validator(undefined, 't')
    expect(validate({ a: 1 })).toEqual({ value: {} })
    for (const wrong of [null, [], 'x', 5]) expect(validate(wrong)).toMatchObject({ issues: [{ path: '' }] })
  })

  it.each([
    [{ type: 'object' }],
    [{}],
    [{ type: 'object', properties: null }],
    [{ type: 'object', properties: undefined, required: null }],
    [{ properties: {} }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
    [{ type: ['object', 'null'] }],
    [{ description: 'nothing' }],
  ])('case 118: %j has properties, and takes any keys', async (schema) => {
    const json = toObjectSchema(schema, 't')
    expect(json).toMatchObject({ type: 'object', properties: {} })
    expect(json).not.toHaveProperty('additionalProperties')
    expect(json).not.toHaveProperty('required')
    expect(await validator(schema, 't')({ extra: 1 })).toEqual({ value: { extra: 1 } })
  })

  it('case 118: at every depth', () => {
    const bare = { type: 'object' }
    const schema = {
      type: 'object',
      properties: { o: bare, l: { type: 'array', items: bare }, n: { type: ['object', 'null'] } },
    }
    const full = { type: 'object', properties: {} }
    expect(toObjectSchema(schema, 't').properties).toEqual({
      o: full,
      l: { type: 'array', items: full },
      n: { type: ['object', 'null'], properties: {} },
    })
  })

  it('refuses arguments named runtime and config', () => {
    for (const name of ['runtime', 'config']) {
      const json = toObjectSchema(z.object({ [name]: z.string() }), 't')
      expect(() => checkArgumentNames(json, 'tool "t"')).toThrow(new RegExp(`tool "t" is named "${name}"`))
    }
    checkArgumentNames(toObjectSchema(z.object({ a: z.object({ config: z.string() }) }), 't'), 't')
  })
})
