import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { scope } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ConfigError } from '../../src/errors.js'
import { toJsonSchema, toObjectSchema, validator } from '../../src/tools/schema.js'
import { ZODS } from './schema-kinds.js'

interface Tree {
  v: string
  kids: Tree[]
}

const deep = (depth: number): Tree => ({ v: 'x', kids: depth === 0 ? [] : [deep(depth - 1)] })

/** Each reference of a schema leads to the root or to a definition that is there. */
function checkReferences(json: Record<string, unknown>): number {
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference ?? '')
  for (const reference of references) {
    expect(reference).toMatch(/^#$|^#\/\$defs\/[^/]+$/)
    if (reference !== '#') expect(json.$defs).toHaveProperty([decodeURIComponent(reference.slice(8))])
  }
  return references.length
}

describe('case 105: a schema that is used twice is written out', () => {
  it.each(ZODS)('%s: with the description of each use', (_library, z) => {
    const T = z.enum(['a', 'b'])
    const place = z.object({ lat: z.number() })
    const json = toObjectSchema(
      z.object({
        a: z.array(z.object({ t: T })),
        b: z.array(z.object({ t: T })),
        start: place.describe('from'),
        end: place.describe('to'),
        via: place.optional(),
      }),
      't',
    )
    expect(checkReferences(json)).toBe(0)
    const point = { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] }
    expect(json.properties).toMatchObject({
      a: { items: { properties: { t: { type: 'string', enum: ['a', 'b'] } } } },
      b: { items: { properties: { t: { type: 'string', enum: ['a', 'b'] } } } },
      start: { ...point, description: 'from' },
      end: { ...point, description: 'to' },
      via: point,
    })
  })

  it('a schema with an id, at the root too', () => {
    const named = z.string().meta({ id: 'Named', description: 'own' })
    const json = toObjectSchema(z.object({ a: named, b: named.describe('other') }).meta({ id: 'Root' }), 't')
    expect(json).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string', description: 'own' }, b: { type: 'string', description: 'other' } },
    })
    expect(checkReferences(json)).toBe(0)
  })

  it('refuses what would not end', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level < 40; level++) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } }
    }
    expect(() =>
      toJsonSchema({ type: 'object', properties: { x: { $ref: '#/$defs/d39' } }, $defs }, 'tool "t"'),
    ).toThrow(/tool "t" has more than 20000 parts/)
  })
})

describe('case 106: a recursive schema is finite', () => {
  it.each(ZODS)('%s: plain, described, mutual and inside', async (_library, z) => {
    const tree: z.ZodType<Tree> = z.object({ v: z.string(), kids: z.array(z.lazy(() => tree)) })
    const told: z.ZodType<Tree> = z
      .object({ v: z.string(), kids: z.array(z.lazy(() => told.describe('a kid'))) })
      .describe('a tree')
    type A = { b?: B | undefined }
    type B = { a?: A | undefined }
    const a: z.ZodType<A> = z.object({ b: z.lazy(() => b).optional() })
    const b: z.ZodType<B> = z.object({ a: z.lazy(() => a).optional() })
    const json: z.ZodType = z.lazy(() =>
      z.union([z.string(), z.number(), z.null(), z.array(json), z.record(z.string(), json)]),
    )
    for (const schema of [tree, told, a, z.object({ one: tree, two: tree.optional() }), z.object({ value: json })]) {
      expect(checkReferences(toObjectSchema(schema, 't'))).toBeGreaterThan(0)
    }
    for (const schema of [tree, told]) {
      const validate = validator(schema, 't')
      expect(await validate(deep(50))).toEqual({ value: deep(50) })
      const wrong = deep(2)
      Object.assign(wrong.kids[0]!, { v: 5 })
      expect((await validate(wrong)).issues?.map(({ path }) => path)).toEqual(['kids.0.v'])
    }
    expect(await validator(z.object({ value: json }), 't')({ value: { a: [1, { b: null }] } })).toEqual({
      value: { value: { a: [1, { b: null }] } },
    })
  })

  it('a getter of zod 4, valibot, arktype', () => {
    const getter = z.object({
      v: z.string(),
      get kids() {
        return z.array(getter).describe('kids')
      },
    })
    const bot: v.GenericSchema<Tree> = v.object({ v: v.string(), kids: v.array(v.lazy(() => bot)) })
    const ark = scope({ tree: { v: 'string', kids: 'tree[]' } }).export().tree
    for (const schema of [getter, toStandardJsonSchema(bot), ark]) {
      expect(checkReferences(toObjectSchema(schema, 't'))).toBeGreaterThan(0)
    }
  })
})

describe('case 119: references of plain JSON Schema', () => {
  const T = { type: 'string', description: 'own' }

  it.each([
    ['$defs', { $ref: '#/$defs/T' }],
    ['definitions', { $ref: '#/definitions/U' }],
    ['a path', { $ref: '#/properties/direct' }],
    ['a chain', { $ref: '#/$defs/V' }],
    ['an encoded name', { $ref: '#/$defs/a~1b%20c' }],
  ])('%s is written out; a description beside it wins', async (_form, reference) => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { direct: T, plain: reference, told: { ...reference, description: 'here' } },
      $defs: { T, V: { $ref: '#/$defs/T' }, 'a/b c': T },
      definitions: { U: T },
    }
    expect(toObjectSchema(schema, 't')).toEqual({
      type: 'object',
      properties: { direct: T, plain: T, told: { ...T, description: 'here' } },
    })
    expect(await validator(schema, 't')({ plain: 5 })).toEqual({
      issues: [{ path: 'plain', message: 'expected string, got number' }],
    })
  })

  it('the root, a root that is a reference, and a property that is named $ref', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' }, $ref: { type: 'string' } } }
    expect(toObjectSchema(node, 't')).toEqual(node)
    const named = { $ref: '#/$defs/N', $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } } }
    expect(toObjectSchema(named, 't')).toEqual({ type: 'object', properties: { next: { $ref: '#' } } })
  })

  it.each(['http://example.org/s.json', 'other.json#/$defs/T', '#/$defs/missing', '#anchor', '#/$defs/__proto__'])(
    '%s is refused with the name of the tool',
    (reference) => {
      const schema = { type: 'object', properties: { a: { $ref: reference } }, $defs: {} }
      expect(() => toObjectSchema(schema, 'tool "t"')).toThrow(ConfigError)
      expect(() => toObjectSchema(schema, 'tool "t"')).toThrow(/tool "t" refers to/)
      expect(() => validator(schema, 'tool "t"')).toThrow(/tool "t"/)
    },
  )
})
