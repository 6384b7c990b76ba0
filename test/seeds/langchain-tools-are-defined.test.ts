import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { type AnyTool, ConfigError, createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod3'
import { checkedRun } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

test('L1: a tool is a function, a name, a description and a schema', async () => {
  const search = tool(({ query, limit }) => `Found ${limit} results for '${query}'`, {
    name: 'search_database',
    description: 'Searches the customer database for records that match.',
    schema: z.object({ query: z.string(), limit: z.number() }),
  })
  const model = scriptedModel([{ toolCalls: [toolCall('search_database', { query: 'x', limit: 2 })] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [search] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: "Found 2 results for 'x'" })
})

test('L2: the wire holds types, texts and defaults, and a default is not required', async () => {
  const seen: unknown[] = []
  const search = tool(
    (args) => {
      const { limit }: { query: string; limit: number } = args
      seen.push(limit)
    },
    {
      name: 'search',
      description: 'Searches.',
      schema: z.object({
        query: z.string().describe('Words to look for.'),
        limit: z.number().default(10).describe('How many.'),
      }),
    },
  )
  const { bodies } = await overTheWire(
    [{ content: null, tool_calls: [wireCall('c1', 'search', { query: 'x' })] }, { content: 'ok' }],
    { tools: [search] },
  )
  expect(bodies[0]?.tools).toEqual([
    {
      type: 'function',
      function: {
        name: 'search',
        description: 'Searches.',
        parameters: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'Words to look for.' },
            limit: { type: 'number', default: 10, description: 'How many.' },
          },
          required: ['query'],
        },
      },
    },
  ])
  expect(seen).toEqual([10])
})

test('L3: a name that a provider refuses is mapped to a legal, distinct one and back', async () => {
  const names = ['calendar.create', 'calendar/create', 'a b', 'n'.repeat(65), 'été', 'constructor']
  const tools = names.map((name) => tool(() => `ran ${name}`, { name, description: `Does ${name}.` }))
  const first = await overTheWire([{ content: 'ok' }], { tools })
  const wireNames =
    (first.bodies[0]?.tools as { function: { name: string } }[] | undefined)?.map((one) => one.function.name) ?? []
  expect(new Set(wireNames).size).toBe(names.length)
  for (const name of wireNames) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)

  const calls = wireNames.map((name, index) => wireCall(`c${index}`, name))
  const { result } = await overTheWire([{ content: null, tool_calls: calls }, { content: 'ok' }], { tools })
  expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject(
    names.map((name) => ({ name, content: `ran ${name}`, status: 'success' })),
  )
})

test("L4: the name is given, or else the function's own", () => {
  function web_search() {
    return ''
  }
  expect(tool(web_search, { description: 'Searches.' }).name).toBe('web_search')
  expect(tool(web_search, { name: 'search', description: 'Searches.' }).name).toBe('search')
  const anonymous = (
    () => () =>
      ''
  )()
  expect(() => tool(anonymous, { description: 'Has no name.' })).toThrow(ConfigError)
})

test('L5: a tool needs a description, and the error names the tool', () => {
  const options = { name: 'calculator', description: undefined as unknown as string }
  expect(() => tool(() => 1, options)).toThrow(ConfigError)
  expect(() => tool(() => 1, options)).toThrow(/"calculator".*description/)
  expect(tool(() => 1, { name: 'calculator', description: 'Adds.' }).description).toBe('Adds.')
})

test('L6: the same tool in five kinds of schema gives the same run', async () => {
  const description = { location: 'A city.', units: 'Of temperature.' }
  const kinds: Record<string, AnyTool['inputSchema'] | object> = {
    'zod 4': z.object({
      location: z.string().describe(description.location),
      units: z.enum(['celsius', 'fahrenheit']).default('celsius').describe(description.units),
      forecast: z.boolean().default(false),
    }),
    'zod mini': mini.object({
      location: mini.string(),
      units: mini._default(mini.enum(['celsius', 'fahrenheit']), 'celsius'),
      forecast: mini._default(mini.boolean(), false),
    }),
    'zod 3': z3.object({
      location: z3.string().describe(description.location),
      units: z3.enum(['celsius', 'fahrenheit']).default('celsius').describe(description.units),
      forecast: z3.boolean().default(false),
    }),
    valibot: toStandardJsonSchema(
      v.object({
        location: v.string(),
        units: v.optional(v.picklist(['celsius', 'fahrenheit']), 'celsius'),
        forecast: v.optional(v.boolean(), false),
      }),
    ),
    arktype: type({ location: 'string', units: "'celsius' | 'fahrenheit' = 'celsius'", forecast: 'boolean = false' }),
  }
  for (const [kind, schema] of Object.entries(kinds)) {
    const weather = tool((args) => JSON.stringify(Object.entries(args as object).sort()), {
      name: 'weather',
      description: 'Tells the weather.',
      schema,
    })
    expect(weather.inputSchema, kind).toMatchObject({ type: 'object', required: ['location'] })
    expect(JSON.stringify(weather.inputSchema), kind).toContain('fahrenheit')
    const model = scriptedModel([
      {
        toolCalls: [
          toolCall('weather', { location: 'Oslo' }),
          toolCall('weather', { location: 'Oslo', units: 'kelvin' }),
        ],
      },
      'ok',
    ])
    const { messages } = await checkedRun(createAgent({ model, tools: [weather] }).invoke('hi'), model)
    expect(messages[2], kind).toMatchObject({
      status: 'success',
      content: '[["forecast",false],["location","Oslo"],["units","celsius"]]',
    })
    expect(messages[3], kind).toMatchObject({ status: 'error', content: expect.stringContaining('units') })
  }
})

test('L7: plain JSON Schema is a schema, and holds before the body is entered', async () => {
  let entered = 0
  const weather = tool(
    () => {
      entered++
    },
    {
      name: 'weather',
      description: 'Tells the weather.',
      schema: {
        type: 'object',
        properties: { location: { type: 'string' }, forecast: { type: 'boolean' } },
        required: ['location'],
      },
    },
  )
  const model = scriptedModel([
    { toolCalls: [toolCall('weather', { forecast: true }), toolCall('weather', { location: 'Oslo' })] },
    'ok',
  ])
  const { messages } = await checkedRun(createAgent({ model, tools: [weather] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('location') })
  expect(messages[3]).toMatchObject({ status: 'success' })
  expect(entered).toBe(1)
})

test('L8: `config` and `runtime` are refused as names of arguments, at the root only', () => {
  for (const name of ['config', 'runtime']) {
    for (const schema of [z.object({ [name]: z.string() }), { type: 'object', properties: { [name]: {} } }]) {
      expect(() => tool(() => '', { name: 'bad', description: 'Bad.', schema })).toThrow(ConfigError)
      expect(() => tool(() => '', { name: 'bad', description: 'Bad.', schema })).toThrow(new RegExp(`"bad".*${name}`))
    }
    const deep = z.object({ inner: z.object({ [name]: z.string() }) })
    expect(tool(() => '', { name: 'good', description: 'Good.', schema: deep }).name).toBe('good')
  }
})
