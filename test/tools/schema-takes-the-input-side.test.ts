import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toObjectSchema, validator } from '../../src/tools/schema.js'
import { ZODS } from './schema-kinds.js'

const properties = (schema: unknown) =>
  toObjectSchema(schema, 't').properties as Record<string, Record<string, unknown>>

describe('case 99: the model is shown what it writes, and the tool gets what the schema makes of it', () => {
  it.each(ZODS)('%s', async (_library, z) => {
    let runs = 0
    const schema = z.object({
      id: z.string().transform((text) => {
        runs++
        return Number(text)
      }),
      piped: z.string().pipe(z.coerce.number()),
      pre: z.preprocess((value) => value, z.number()),
      refined: z.string().refine((text) => text.length > 1),
      brand: z.string().brand<'b'>(),
      caught: z.number().catch(7),
    })
    const shown = properties(schema)
    expect(shown.id).toEqual({ type: 'string' })
    expect(shown.piped).toEqual({ type: 'string' })
    expect(shown.pre).toEqual({ type: 'number' })
    expect(shown.refined).toEqual({ type: 'string' })
    expect(shown.brand).toEqual({ type: 'string' })
    expect(shown.caught).toMatchObject({ type: 'number' })
    const args = { id: '5', piped: '6', pre: 1, refined: 'ab', brand: 'b', caught: 'x' }
    expect(await validator(schema, 't')(args)).toEqual({
      value: { id: 5, piped: 6, pre: 1, refined: 'ab', brand: 'b', caught: 7 },
    })
    expect(runs).toBe(1)
  })

  it('codecs and valibot transforms', async () => {
    const codec = z.codec(z.iso.datetime(), z.date(), { decode: (s) => new Date(s), encode: (d) => d.toISOString() })
    expect(properties(z.object({ at: codec })).at).toEqual({ type: 'string', format: 'date-time' })
    expect(await validator(z.object({ at: codec }), 't')({ at: '2024-01-01T00:00:00Z' })).toEqual({
      value: { at: new Date('2024-01-01T00:00:00Z') },
    })
    const schema = toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number)) }))
    expect(properties(schema).n).toEqual({ type: 'string' })
    expect(await validator(schema, 't')({ n: '4' })).toMatchObject({ value: { n: 4 } })
  })

  it.each(ZODS)('case 100: %s: a default is kept and not required', async (_library, z) => {
    const schema = z.object({
      q: z.string(),
      limit: z.number().default(10),
      list: z.array(z.object({ n: z.number().default(1) })),
    })
    const json = toObjectSchema(schema, 't')
    expect(json.required).toEqual(['q', 'list'])
    expect(properties(schema).limit).toEqual({ type: 'number', default: 10 })
    expect(properties(schema).list?.items).toEqual({
      type: 'object',
      properties: { n: { type: 'number', default: 1 } },
    })
    expect(await validator(schema, 't')({ q: 'a', list: [{}] })).toEqual({
      value: { q: 'a', limit: 10, list: [{ n: 1 }] },
    })
  })

  it('says nothing twice: no $schema, root title, long patterns, bounds of numbers or any-text names', () => {
    const schema = z
      .object({
        e: z.email(),
        u: z.uuid(),
        d: z.iso.datetime(),
        i: z.int(),
        p: z.int().positive(),
        own: z.string().regex(/^a+$/),
        m: z.record(z.string(), z.string()),
      })
      .meta({ title: 'Root' })
    expect(toObjectSchema(schema, 't')).toEqual({
      type: 'object',
      properties: {
        e: { type: 'string', format: 'email' },
        u: { type: 'string', format: 'uuid' },
        d: { type: 'string', format: 'date-time' },
        i: { type: 'integer' },
        p: { type: 'integer', exclusiveMinimum: 0 },
        own: { type: 'string', pattern: '^a+$' },
        m: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
      },
      required: ['e', 'u', 'd', 'i', 'p', 'own', 'm'],
    })
  })
})
