import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { ConfigError } from '../../src/errors.js'
import { toJsonSchema, toObjectSchema, validator } from '../../src/tools/schema.js'
import { SAME } from './schema-kinds.js'

describe('case 107: a schema of any library and any copy is recognised by its shape', () => {
  it.each(SAME)('%s gives the same schema and the same checks', async (_library, schema) => {
    const json = toObjectSchema(schema, 'tool "t"')
    expect(json).toEqual({
      type: 'object',
      properties: { q: { type: 'string' }, limit: { type: 'number' } },
      required: ['q'],
    })
    const validate = validator(schema, 'tool "t"')
    expect(await validate({ q: 'a', limit: 2 })).toMatchObject({ value: { q: 'a', limit: 2 } })
    for (const wrong of [{}, { q: 1 }, { q: 'a', limit: 'x' }, [], null, 5, 'x', undefined]) {
      const { issues } = await validate(wrong)
      expect(issues?.length, JSON.stringify(wrong)).toBeGreaterThan(0)
    }
    const { issues } = await validate({ q: 'a', limit: 'x' })
    expect(issues?.map(({ path }) => path)).toEqual(['limit'])
  })

  it.each(SAME)('%s: own __proto__ keys of arguments are never applied', async (_library, schema) => {
    const { value } = (await validator(
      schema,
      'tool "t"',
    )(JSON.parse('{"q":"a","__proto__":{"x":1},"z":{"__proto__":{"x":1}}}'))) as {
      value: Record<string, unknown>
    }
    expect(value.x).toBeUndefined()
    expect(Object.hasOwn(value, '__proto__')).toBe(false)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it.each([
    ['nothing that is a schema', 5, /expected zod.*got 5/],
    ['a text', 'object', /got "object"/],
    ['null', null, /got null/],
    ['a list', [], /got an array/],
    ['fields without an object', { a: z.string() }, /got an object with keys \["a"\].*z\.object/],
    ['a field that is named as a keyword', { type: z.string() }, /z\.object/],
    ['a library that gives no JSON Schema', v.object({ a: v.string() }), /JSON Schema package/],
    ['zod 3 in an object of zod 4', z.object({ a: z3.string() as unknown as z.ZodString }), /tool "t"/],
    ['an instance of a class', new Map(), /got a Map/],
  ])('%s is a ConfigError that says expected and got', (_what, schema, text) => {
    expect(() => toJsonSchema(schema, 'tool "t"')).toThrow(ConfigError)
    expect(() => toJsonSchema(schema, 'tool "t"')).toThrow(text)
    expect(() => toJsonSchema(schema, 'tool "t"')).toThrow(/tool "t"/)
    expect(() => validator(schema, 'tool "t"')).toThrow(ConfigError)
  })

  it('gives a fresh object each time and keeps the schema that it was given', () => {
    const frozen = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    })
    const json = toJsonSchema(frozen, 'x')
    expect(json).toEqual(frozen)
    expect(json.properties).not.toBe(frozen.properties)
    const schema = z.object({ a: z.string() })
    expect(toJsonSchema(schema, 'x')).not.toBe(toJsonSchema(schema, 'x'))
  })
})
