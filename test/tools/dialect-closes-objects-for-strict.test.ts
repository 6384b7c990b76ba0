import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/models/model.js'
import { schemaInDialect, toDialect } from '../../src/tools/dialect.js'
import { toObjectSchema, validator } from '../../src/tools/schema.js'
import { withoutNulls } from '../../src/tools/schema-values.js'
import { anySchema, checkStrict } from './dialect-kinds.js'
import { ZODS } from './schema-kinds.js'

const strictOf = (schema: JsonSchema) => schemaInDialect(schema, 'openai-strict', 'tool "t"')

describe('case 101: a strict model sends null for an optional field', () => {
  it.each(ZODS)('%s: the tool gets it as absent, at every depth', async (_library, z) => {
    const inner = () =>
      z.object({
        tag: z.string().optional(),
        n: z.number().default(5),
        x: z.string().nullable(),
        both: z.string().nullish(),
        y: z.enum(['a', 'b']).optional(),
        lit: z.literal('k').optional(),
        o: z.object({ p: z.string().optional() }).optional(),
        list: z.array(z.string()).optional(),
      })
    const schema = inner().extend({
      q: z.string(),
      deep: inner(),
      items: z.array(inner()),
      one: z.union([
        z.object({ kind: z.literal('a'), extra: z.string().nullable() }),
        z.object({ kind: z.literal('b'), extra: z.string().optional() }),
      ]),
      other: z.union([
        z.object({ kind: z.literal('a'), extra: z.string().nullable() }),
        z.object({ kind: z.literal('b'), extra: z.string().optional() }),
      ]),
    })
    const json = toObjectSchema(schema, 't')
    const wire = strictOf(json)
    expect(wire).toMatchObject({ strict: true })
    checkStrict(wire.schema)
    expect(wire.schema.properties).toMatchObject({
      q: { type: 'string' },
      tag: { type: ['string', 'null'] },
      n: { type: ['number', 'null'] },
      y: { type: ['string', 'null'], enum: ['a', 'b', null] },
      lit: { enum: ['k', null] },
      o: { anyOf: [{ type: 'object', required: ['p'] }, { type: 'null' }] },
      list: { anyOf: [{ type: 'array' }, { type: 'null' }] },
    })
    expect(JSON.stringify(wire.schema)).not.toContain('"default"')

    const nulls = { tag: null, n: null, x: null, both: null, y: null, lit: null, o: null, list: null }
    const kept = { x: null, both: null }
    const args = {
      q: 'a',
      ...nulls,
      deep: { ...nulls, o: { p: null } },
      items: [nulls, { ...nulls, tag: 't' }],
      one: { kind: 'b', extra: null },
      other: { kind: 'a', extra: null },
    }
    const before = structuredClone(args)
    const stripped = withoutNulls(json, args)
    expect(stripped).toEqual({
      q: 'a',
      ...kept,
      deep: { ...kept, o: {} },
      items: [kept, { ...kept, tag: 't' }],
      one: { kind: 'b' },
      other: { kind: 'a', extra: null },
    })
    expect(args).toEqual(before)
    const { value } = (await validator(schema, 't')(stripped)) as { value: { n: number; items: { n: number }[] } }
    expect([value.n, value.items[0]?.n]).toEqual([5, 5])
  })

  it('leaves a value alone that has nothing to strip, also under references and unknown keys', () => {
    const json = {
      type: 'object',
      properties: { next: { $ref: '#' }, v: { type: 'string' }, any: {} },
      additionalProperties: { type: 'object', properties: { w: { type: 'string' } } },
    }
    const value = { next: { v: 'x', any: null }, any: null, other: { w: 'x' } }
    expect(withoutNulls(json, value)).toBe(value)
    expect(withoutNulls(json, { next: { next: null, v: null }, more: { w: null } })).toEqual({ next: {}, more: {} })
  })

  it.each(ZODS)('case 100: %s: what was defaulted is its default again', async (_library, z) => {
    const schema = z.object({ q: z.string(), limit: z.number().default(10) })
    const json = toObjectSchema(schema, 't')
    expect(await validator(schema, 't')(withoutNulls(json, { q: 'a', limit: null }))).toEqual({
      value: { q: 'a', limit: 10 },
    })
  })
})

describe('case 102: what cannot be strict is sent as it is, with a warning', () => {
  it.each(ZODS)('%s: records, open objects, any', (_library, z) => {
    const kinds: [string, unknown][] = [
      ['record', z.record(z.string(), z.string())],
      ['record of names', z.record(z.enum(['a', 'b']), z.string())],
      ['open object', z.object({ a: z.string() }).passthrough()],
      ['catchall', z.object({}).catchall(z.number())],
      ['any', z.any()],
      ['unknown', z.unknown()],
      ['list of any', z.array(z.any())],
    ]
    for (const [name, bad] of kinds) {
      const json = toObjectSchema(z.object({ ok: z.string(), deep: z.object({ bad: bad as never }) }), 't')
      const wire = strictOf(json)
      expect(wire, name).toEqual({ ...schemaInDialect(json, 'openai', 't'), warning: wire.warning })
      expect(wire.warning, name).toMatch(/^tool "t" is not sent as strict: "deep\.bad/)
      expect(JSON.stringify(wire.schema), name).not.toContain('"propertyNames":{"type":"string"}')
    }
  })

  it('JSON Schema: open objects, lists of anything, conditions, keys that are required but not described', () => {
    const kinds: JsonSchema[] = [
      { type: 'object' },
      { type: 'array' },
      { type: 'object', properties: { a: { type: 'string' } }, patternProperties: { '^x': {} } },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] },
      { type: 'string', not: { const: 'x' } },
      { allOf: [{ type: 'string' }, { type: 'number' }] },
    ]
    for (const bad of kinds) {
      const wire = strictOf(toObjectSchema({ type: 'object', properties: { bad } }, 't'))
      expect(wire.strict, JSON.stringify(bad)).toBe(false)
      expect(wire.warning).toContain('"bad')
    }
  })
})

describe('case 103: one of several is any of several where they exclude each other', () => {
  it.each(ZODS)('%s: in a list', (_library, z) => {
    const data = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b'), n: z.number() }),
    ])
    const wire = strictOf(toObjectSchema(z.object({ list: z.array(z.object({ data })) }), 't'))
    expect(wire.strict).toBe(true)
    checkStrict(wire.schema)
    expect(JSON.stringify(wire.schema)).toMatch(/"anyOf":\[\{.*"const":"a"/)
  })

  it('by type or constants; else, and beside another union, it is not strict', () => {
    const has = (u: JsonSchema) => strictOf({ type: 'object', properties: { u }, required: ['u'] })
    expect(has({ oneOf: [{ type: 'string' }, { type: 'number' }] })).toMatchObject({ strict: true })
    expect(has({ oneOf: [{ const: 1 }, { enum: [2, 3] }] })).toMatchObject({ strict: true })
    for (const u of [
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      {
        oneOf: [
          { type: 'string', pattern: 'a' },
          { type: 'string', pattern: 'b' },
        ],
      },
      { oneOf: [{ type: 'string' }, { type: 'number' }], anyOf: [{ type: 'string' }] },
    ]) {
      expect(has(u)).toMatchObject({ strict: false, schema: { properties: { u } } })
      expect(has(u).warning).toContain('"u" has "oneOf"')
    }
  })
})

describe('the strict form', () => {
  it('is closed and all required, and the same when it is made again, for any schema', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const before = JSON.stringify(schema)
        const wire = strictOf(schema)
        expect(JSON.stringify(schema)).toBe(before)
        if (!wire.strict) {
          expect(wire.warning).toContain('tool "t"')
          return
        }
        checkStrict(wire.schema)
        expect(strictOf(wire.schema)).toEqual(wire)
      }),
      { numRuns: 400 },
    )
  })

  it('keeps recursion, without words beside a reference', () => {
    const tree = {
      type: 'object',
      properties: { v: { type: 'string' }, next: { $ref: '#', description: 'more' }, n: { $ref: '#/$defs/N' } },
      $defs: { N: { type: 'object', properties: { n: { $ref: '#/$defs/N' } } } },
    }
    expect(strictOf(tree)).toEqual({
      strict: true,
      schema: {
        type: 'object',
        properties: {
          v: { type: ['string', 'null'] },
          next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
          n: { anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] },
        },
        required: ['v', 'next', 'n'],
        additionalProperties: false,
        $defs: {
          N: {
            type: 'object',
            properties: { n: { anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] } },
            required: ['n'],
            additionalProperties: false,
          },
        },
      },
    })
  })

  it('takes a tool without arguments, and drops what the subset lacks', () => {
    expect(strictOf(toObjectSchema(undefined, 't'))).toEqual({
      strict: true,
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    })
    const u = { type: 'string', format: 'uri', minLength: 1, readOnly: true, examples: ['x'] }
    expect(strictOf({ type: 'object', properties: { u }, required: ['u'] }).schema.properties).toEqual({
      u: { type: 'string' },
    })
  })

  it('is chosen by the dialect or by the tool, and made once', () => {
    const define = (strict?: boolean) => ({
      name: 't',
      description: '',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      ...(strict !== undefined && { strict }),
    })
    const chosen = [undefined, true, false].map((strict) => {
      const tool = define(strict)
      expect(toDialect(tool, 'openai')).toBe(toDialect(tool, 'openai'))
      return (['openai', 'openai-strict', 'anthropic', 'gemini', 'portable'] as const).map(
        (dialect) => toDialect(tool, dialect).strict,
      )
    })
    expect(chosen).toEqual([
      [false, true, false, false, false],
      [true, true, false, false, false],
      [false, false, false, false, false],
    ])
  })
})
