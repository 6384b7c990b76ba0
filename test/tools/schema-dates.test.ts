import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { ConfigError } from '../../src/errors.js'
import { toJsonSchema, validator } from '../../src/tools/schema.js'
import { ZODS } from './schema-kinds.js'

const ISO = '2024-05-01T10:00:00Z'
const date = new Date(ISO)

describe('case 98: a date is a text on the wire and a Date in the tool', () => {
  it.each(ZODS)('%s: at every depth', async (_library, z) => {
    const schema = z.object({
      at: z.date().describe('when'),
      opt: z.date().optional(),
      none: z.date().nullable(),
      arr: z.array(z.date()),
      deep: z.object({ list: z.array(z.object({ at: z.date().optional() })) }),
      byKey: z.record(z.string(), z.date()),
      pair: z.tuple([z.date(), z.string()]),
      either: z.union([
        z.object({ kind: z.literal('text'), v: z.string() }),
        z.object({ kind: z.literal('date'), v: z.date() }),
      ]),
      other: z.union([
        z.object({ kind: z.literal('text'), v: z.string() }),
        z.object({ kind: z.literal('date'), v: z.date() }),
      ]),
      text: z.string(),
      coerced: z.coerce.date(),
      both: z.intersection(z.object({ a: z.date() }), z.object({ b: z.date() })),
      preset: z.date().default(new Date(0)),
      made: z.date().transform((value) => value.getTime()),
    })
    const json = toJsonSchema(schema, 'tool "t"')
    expect(JSON.stringify(json)).not.toContain('x-cepa')
    const { properties } = json as { properties: Record<string, Record<string, unknown>> }
    expect(properties.at).toEqual({ type: 'string', format: 'date-time', description: 'when' })
    expect(properties.arr).toMatchObject({ items: { type: 'string', format: 'date-time' } })
    expect(properties.preset).toMatchObject({ default: '1970-01-01T00:00:00.000Z' })
    const args = {
      at: ISO,
      opt: '2024-05-01',
      none: null,
      arr: [ISO, ISO],
      deep: { list: [{}, { at: ISO }] },
      byKey: { k: ISO },
      pair: [ISO, ISO],
      either: { kind: 'text', v: ISO },
      other: { kind: 'date', v: ISO },
      text: ISO,
      coerced: ISO,
      both: { a: ISO, b: ISO },
      made: ISO,
    }
    const before = structuredClone(args)
    expect(await validator(schema, 'tool "t"')(args)).toEqual({
      value: {
        at: date,
        opt: new Date('2024-05-01'),
        none: null,
        arr: [date, date],
        deep: { list: [{}, { at: date }] },
        byKey: { k: date },
        pair: [date, ISO],
        either: { kind: 'text', v: ISO },
        other: { kind: 'date', v: date },
        text: ISO,
        coerced: date,
        both: { a: date, b: date },
        preset: new Date(0),
        made: date.getTime(),
      },
    })
    expect(args).toEqual(before)
  })

  it.each(ZODS)('%s: a text that is no date is a misfit with its path', async (_library, z) => {
    const validate = validator(z.object({ a: z.object({ at: z.date() }) }), 'tool "t"')
    for (const at of ['tomorrow', '2024-13-45', '', '12', 5]) {
      const { issues } = await validate({ a: { at } })
      expect(issues?.map(({ path }) => path)).toEqual(['a.at'])
    }
  })

  it.each(ZODS)('%s: inside a recursive schema', async (_library, z) => {
    type Node = { at: Date; kids?: Node[] | undefined }
    const node: z.ZodType<Node> = z.object({ at: z.date(), kids: z.array(z.lazy(() => node)).optional() })
    expect(await validator(node, 't')({ at: ISO, kids: [{ at: ISO, kids: [{ at: ISO }] }] })).toEqual({
      value: { at: date, kids: [{ at: date, kids: [{ at: date }] }] },
    })
  })

  it('zod 4 mini and arktype', async () => {
    const small = mini.object({ at: mini.date(), opt: mini.optional(mini.array(mini.date())) })
    expect(await validator(small, 't')({ at: ISO, opt: [ISO] })).toEqual({ value: { at: date, opt: [date] } })
    const ark = type({ at: 'Date', 'opt?': 'Date' })
    expect(toJsonSchema(ark, 't').properties).toMatchObject({ at: { type: 'string', format: 'date-time' } })
    expect(await validator(ark, 't')({ at: ISO })).toEqual({ value: { at: date } })
  })

  it.each(ZODS)('%s: what JSON cannot write is a ConfigError with the path', (_library, z) => {
    const inside = (schema: z.ZodType) =>
      z.object({ ok: z.string(), a: z.object({ list: z.array(z.object({ bad: schema })) }) })
    const kinds: [string, z.ZodType][] = [
      ['bigint', z.bigint()],
      ['coerced bigint', z.coerce.bigint()],
      ['undefined', z.undefined()],
      ['void', z.void()],
      ['map', z.map(z.string(), z.string())],
      ['set', z.set(z.string())],
      ['symbol', z.symbol()],
      ['nan', z.nan()],
      ['literal', z.literal(5n)],
      ['optional', z.bigint().optional()],
    ]
    for (const [name, schema] of kinds) {
      const convert = () => toJsonSchema(inside(schema), 'tool "t"')
      expect(convert, name).toThrow(ConfigError)
      expect(convert, name).toThrow(/tool "t".*"a\.list\[\]\.bad"/)
    }
  })

  it('zod 4: so is a custom type, a file and an instance of a class; arktype: what has no JSON form', () => {
    for (const schema of [z.custom(() => true), z.instanceof(URL), z.file()]) {
      expect(() => toJsonSchema(z.object({ bad: schema }), 'tool "t"')).toThrow(/tool "t".*"bad"/)
    }
    expect(() => toJsonSchema(type({ m: 'Map' }), 'tool "t"')).toThrow(ConfigError)
    expect(() => toJsonSchema(type({ m: 'bigint' }), 'tool "t"')).toThrow(/tool "t"/)
  })
})
