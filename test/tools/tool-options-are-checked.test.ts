import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError } from '../../src/errors.js'
import { isTool, providerTool, tool } from '../../src/tools/tool.js'

const add = ({ a, b }: { a: number; b: number }): number => a + b
const schema = z.object({ a: z.number(), b: z.number().default(1).describe('The second.') })
const good = { description: 'Adds two numbers.', schema }
// What a program without types passes in.
const loose = tool as unknown as (...args: unknown[]) => unknown

describe('a tool', () => {
  test('L1: is a frozen value of name, description, schema and function', () => {
    const made = tool(add, good)
    expect(made).toMatchObject({ name: 'add', description: 'Adds two numbers.', retry: 'never', returnDirect: false })
    expect(made.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 1, description: 'The second.' } },
      required: ['a'],
    })
    expect(Object.isFrozen(made) && Object.isFrozen(made.inputSchema)).toBe(true)
    expect(made.parse({ a: 1 })).toEqual({ value: { a: 1, b: 1 } })
    expect(made.parse({})).toMatchObject({ issues: [{ path: 'a' }] })
    expect(isTool(made)).toBe(true)
    expect(isTool({ ...made })).toBe(false)
  })

  test('L4: takes its name from the function, a bound one too', () => {
    expect(tool(add, good).name).toBe('add')
    expect(tool(add.bind(undefined), good).name).toBe('add')
    expect(tool(add, { ...good, name: 'calendar.create it' }).name).toBe('calendar.create it')
  })

  test('L44: without a function it is headless, and implement gives a copy with a body', () => {
    const geo = tool({ name: 'geo', description: 'Where you are.' })
    expect(geo.execute).toBeUndefined()
    const whole = geo.implement(() => 'here')
    expect(geo.execute).toBeUndefined()
    expect(whole.execute?.({}, {} as never)).toBe('here')
    expect(() => geo.implement('here' as never)).toThrow(/tool "geo"\.implement\(\): expected a function/)
  })

  test('A7: with makes a changed copy', () => {
    const made = tool(add, good)
    const other = made.with({ name: 'plus', description: 'More.' })
    expect(other).toMatchObject({ name: 'plus', description: 'More.', inputSchema: made.inputSchema })
    expect(other.execute).toBe(made.execute)
    expect(made.name).toBe('add')
    expect(() => made.with({ name: '' })).toThrow(
      /tool "add"\.with\(\): expected name to be a string that is not empty/,
    )
    expect(() => made.with({ schema } as never)).toThrow(/unknown option "schema"/)
  })

  test('without a schema it takes no arguments', () => {
    const made = tool(() => 'now', { name: 'now', description: 'The time.' })
    expect(made.inputSchema).toEqual({ type: 'object', properties: {} })
    expect(made.parse({ x: 1 })).toEqual({ value: {} })
  })

  test('a strict one reads the null of an optional property as absent', async () => {
    const optional = z.object({ a: z.string().optional() })
    const strict = tool(() => '', { name: 'x', description: 'x', schema: optional, strict: true })
    expect(await strict.parse({ a: null })).toEqual({ value: {} })
    expect(tool(() => '', { name: 'x', description: 'x', schema: optional }).parse({ a: null })).toHaveProperty(
      'issues',
    )
  })

  test.each<[string, () => unknown, RegExp]>([
    ['L4: an anonymous function', () => loose(() => 1, good), /tool\(\): expected name .* got ""; name the function/],
    ['the object form without a name', () => loose({ ...good, execute() {} }), /expected name .* give \{ name \}/],
    ['an empty name', () => tool(add, { ...good, name: '' }), /expected name to be a string that is not empty, got ""/],
    ['L5: no description', () => loose(add, { schema }), /tool "add": expected description .* got undefined/],
    ['L5: a blank description', () => tool(add, { ...good, description: ' ' }), /expected description/],
    ['no options', () => loose(add), /expected options \{ name, description, schema, … \}, got undefined/],
    [
      'an unknown option',
      () => loose(add, { ...good, timeoutMS: 1 }),
      /unknown option "timeoutMS"; did you mean timeoutMs\?/,
    ],
    ['execute beside a function', () => loose(add, { ...good, execute: add }), /unknown option "execute"/],
    ['a body that is none', () => loose({ ...good, name: 'x', execute: 5 }), /expected execute to be a function/],
    ['timeoutMs of zero', () => tool(add, { ...good, timeoutMs: 0 }), /expected timeoutMs .* got 0/],
    ['timeoutMs that no timer takes', () => tool(add, { ...good, timeoutMs: 2 ** 31 }), /at most 2147483647/],
    ['retry', () => loose(add, { ...good, retry: 'always' }), /expected retry to be 'never', 'keyed' or 'safe'/],
    ['responseFormat', () => loose(add, { ...good, responseFormat: 'both' }), /expected responseFormat/],
    [
      'returnDirect',
      () => loose(add, { ...good, returnDirect: 1 }),
      /expected returnDirect to be true or false, got 1/,
    ],
    ['inject', () => loose(add, { ...good, inject: { db: 5 } }), /expected inject\.db to be a function/],
    ['a root that is no object', () => loose(add, { ...good, schema: z.string() }), /must be an object at its root/],
    ['outputSchema', () => loose(add, { ...good, outputSchema: 'x' }), /expected outputSchema to be a schema/],
    ['L8: runtime', () => loose(add, { ...good, schema: z.object({ runtime: z.string() }) }), /"runtime"/],
    ['L8: config', () => loose(add, { ...good, schema: z.object({ config: z.string() }) }), /"config"/],
  ])('refuses %s', (_name, make, message) => {
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(message)
  })

  test('L8: the reserved names are free below the root', () => {
    const inner = z.object({ inner: z.object({ config: z.string(), runtime: z.string() }) })
    expect(tool(() => 1, { name: 'x', description: 'x', schema: inner }).name).toBe('x')
  })
})

describe('a tool that the provider runs', () => {
  test('L51: is passed through in its own shape', () => {
    const shape = { type: 'web_search', filters: { allowed: ['a.example'] } }
    const search = providerTool(shape)
    expect(search).toMatchObject({ name: 'web_search', provider: shape })
    expect(isTool(search) && search.execute === undefined).toBe(true)
    shape.filters.allowed.push('b.example')
    expect(search.provider).toEqual({ type: 'web_search', filters: { allowed: ['a.example'] } })
    expect(providerTool({ type: 'bash_20250124', name: 'bash' }).name).toBe('bash')
    expect(search.with({ name: 'find' }).provider).toEqual(search.provider)
  })

  test('refuses what is no shape, and a body', () => {
    expect(() => providerTool({} as never)).toThrow(/expected the provider's own shape/)
    expect(() => providerTool({ type: 'x' }).implement(() => 1)).toThrow(/the provider runs this tool itself/)
  })
})
