import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { toObjectSchema, validator } from '../../src/tools/schema.js'

const strict = { type: 'object', required: ['x'], properties: { x: { type: 'integer' } }, additionalProperties: false }
const issues = async (schema: object, value: unknown) => (await validator(schema, 't')(value)).issues

describe('case 26: plain JSON Schema validates, and says where and what', () => {
  it.each([
    [{}, [{ path: 'x', message: 'is required, but missing' }]],
    [{ x: '1' }, [{ path: 'x', message: 'expected integer, got string' }]],
    [{ x: 1.5 }, [{ path: 'x', message: 'expected integer, got number' }]],
    [{ x: 1, y: 2 }, [{ path: 'y', message: 'is not a known key' }]],
    [{ x: 1, constructor: 2 }, [{ path: 'constructor', message: 'is not a known key' }]],
    [[], [{ path: '', message: 'expected object, got array' }]],
    [null, [{ path: '', message: 'expected object, got null' }]],
    [undefined, [{ path: '', message: 'expected a JSON value, got undefined' }]],
  ])('%j', async (args, expected) => {
    expect(await issues(strict, args)).toEqual(expected)
  })

  it('reports causes, not the cascade, at their path', async () => {
    const schema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { $ref: '#/$defs/item' } },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
      $defs: {
        item: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, to: { enum: ['a', 'b'] } } },
      },
    }
    expect(await issues(schema, { list: [{ id: 'a' }, { id: 5, to: 'z' }, {}] })).toEqual([
      { path: 'list.1.id', message: 'expected string, got number' },
      { path: 'list.1.to', message: 'value does not match any of ["a","b"]' },
      { path: 'list.2.id', message: 'is required, but missing' },
    ])
    expect(await issues(schema, { pair: [1, 2, 3] })).toHaveLength(2)
    const closed = {
      type: 'object',
      properties: { a: { allOf: [{ $ref: '#/$defs/c' }, { type: 'object' }] } },
      $defs: { c: strict },
    }
    expect(await issues(closed, { a: { x: 1, y: 2 } })).toEqual([{ path: 'a.y', message: 'is not a known key' }])
  })

  it('of a union, what is wrong in the branch that was meant', async () => {
    const branch = (t: string, more: object) => ({
      type: 'object',
      required: ['t'],
      properties: { t: { const: t }, ...more },
    })
    const schema = {
      type: 'object',
      properties: {
        u: {
          anyOf: [branch('a', { n: { type: 'number' } }), branch('b', { s: { type: 'string' } }), { type: 'null' }],
        },
      },
    }
    expect(await issues(schema, { u: { t: 'b', s: 5 } })).toEqual([
      { path: 'u.s', message: 'expected string, got number' },
    ])
    const either = { anyOf: [{ type: 'string' }, strict] }
    expect(await issues(either, { x: 1, y: 2 })).toEqual([{ path: 'y', message: 'is not a known key' }])
    expect(await issues(schema, { u: 'x' })).toEqual([
      { path: 'u', message: 'expected one of the alternatives, and it fits none' },
    ])
    expect(await issues({ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 })).toEqual([
      { path: '', message: 'expected one of the alternatives, and it fits 2' },
    ])
  })

  it('case 117: conditions, patterns, formats and dependencies are enforced, whatever the wire drops', async () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^[0-9]+$' }, mail: { type: 'string', format: 'email' } },
      if: { properties: { kind: { const: 'big' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['size'] },
      dependentRequired: { mail: ['name'] },
    }
    expect((await issues(schema, { id: 'abc' }))?.[0]?.path).toBe('id')
    expect((await issues(schema, { mail: 'x', name: 'n' }))?.[0]?.path).toBe('mail')
    expect(await issues(schema, { kind: 'big' })).toEqual([{ path: 'size', message: 'is required, but missing' }])
    expect(await issues(schema, { mail: 'a@b.org' })).toHaveLength(1)
    expect(await issues(schema, { id: '12', kind: 'big', size: 1, mail: 'a@b.org', name: 'n' })).toBeUndefined()
  })

  it.each([
    ['^[\\w-]+$', 'a-b', 'a b'],
    ['^[\\w-.]+$', 'a-b.c', 'a b'],
    ['^a\\_b$', 'a_b', 'ab'],
    ['^\\d{2}\\-\\d$', '12-3', '123'],
    ['^\\@\\w', '@a', 'a'],
    ['^{a}]$', '{a}]', 'a'],
    ['^[a\\-z]{1,2}$', 'a-', 'b'],
  ])('a pattern for plain expressions, %s, is one for Unicode expressions', async (pattern, good, bad) => {
    const schema = { type: 'object', properties: { p: { type: 'string', pattern } } }
    expect(await issues(schema, { p: good })).toBeUndefined()
    expect(await issues(schema, { p: bad })).toHaveLength(1)
  })

  it('a pattern that is none is refused with the name of the tool', () => {
    for (const pattern of ['[', '(?P<a>b)']) {
      const schema = { type: 'object', properties: { p: { pattern } } }
      expect(() => validator(schema, 'tool "t"')).toThrow(ConfigError)
      expect(() => validator(schema, 'tool "t"')).toThrow(/tool "t" has the pattern/)
    }
  })

  it('never throws, and never polluts, whatever JSON it is given', () => {
    const validate = validator({ type: 'object', properties: { a: { type: 'array', items: strict } } }, 't')
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = validate(value)
        expect('issues' in result || 'value' in result).toBe(true)
        expect(({} as Record<string, unknown>).x).toBeUndefined()
      }),
    )
    const value = JSON.parse('{"a":[],"__proto__":{"x":1},"b":[{"__proto__":{"x":1}}]}')
    expect(validate(value)).toEqual({ value: { a: [], b: [{}] } })
  })

  it('a large or deep value and a frozen schema are taken', async () => {
    const list = Object.freeze({ type: 'object', properties: Object.freeze({ next: Object.freeze({ $ref: '#' }) }) })
    let value: object = {}
    for (let depth = 0; depth < 200; depth++) value = { next: value }
    expect(await issues(list, value)).toBeUndefined()
    expect(toObjectSchema(list, 't')).toEqual(list)
  })
})
