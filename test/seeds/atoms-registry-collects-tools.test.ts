import { ConfigError, providerTool, tool } from 'cepa'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { functionTool } from '../../src/tools/decorator.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { loadDecorated } from './load-decorated.js'

const { Kit, Maths } = await loadDecorated()

const add = tool(({ a, b }) => a + b, {
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number(), b: z.number() }),
})

describe('a registry', () => {
  test('S3: starts empty, and works without an agent and a model', () => {
    const registry = new ToolRegistry()
    expect(registry.names).toEqual([])
    expect(registry.getSchemas()).toEqual([])
  })

  test('S4: takes a tool, and a function that is marked', async () => {
    const registry = new ToolRegistry()
    const greeter = {
      name: 'Ann',
      greet(): string {
        return `I am ${this.name}`
      },
    }
    registry.register(add).register(functionTool.of(greeter.greet.bind(greeter), { description: 'Greets.' }))
    expect(registry.names).toEqual(['add', 'greet'])
    expect(await registry.execute([{ id: '1', name: 'greet', arguments: '' }])).toMatchObject([{ content: 'I am Ann' }])
  })

  test('S4: refuses a function without a mark, and what is no tool', () => {
    const registry = new ToolRegistry()
    for (const value of [() => 1, class A {}, {}, undefined, providerTool({ type: 'web_search' })]) {
      expect(() => registry.register(value as never)).toThrow(ConfigError)
    }
    expect(() => registry.register(function plain() {})).toThrow(/got function plain; mark it: functionTool\.of/)
  })

  test('S4: refuses a name that is taken, naming both owners, and then adds nothing', () => {
    const registry = new ToolRegistry().register(add)
    expect(() => registry.discover(new Maths())).toThrow(
      /tool "add" of Maths\.add has the name of the one of register\(\)/,
    )
    expect(registry.names).toEqual(['add'])
    const twice = new ToolRegistry()
    const maths = new Maths()
    expect(twice.discover(maths)).toEqual(['sub', 'add'])
    expect(() => twice.discover(maths)).toThrow(ConfigError)
  })

  test('S6: finds tools in own fields and statics', () => {
    expect(new ToolRegistry().discover(new Kit())).toEqual(['own', 'a', 'b', 'c'])
    expect(new ToolRegistry().discover(Kit).sort()).toEqual(['count', 'one', 'shared', 'two'])
    expect(() => new ToolRegistry().discover('x' as never)).toThrow(
      /expected an object with marked methods, or a class/,
    )
  })

  test('S7: gives schemas in the format of OpenAI, fresh each time, in order', () => {
    const registry = new ToolRegistry().register(add).register(tool(() => 1, { name: 'one', description: 'One.' }))
    const schemas: OpenAI.ChatCompletionTool[] = registry.getSchemas()
    expect(schemas).toEqual([
      {
        type: 'function',
        function: {
          name: 'add',
          description: 'Adds two numbers.',
          parameters: {
            type: 'object',
            properties: { a: { type: 'number' }, b: { type: 'number' } },
            required: ['a', 'b'],
          },
        },
      },
      {
        type: 'function',
        function: { name: 'one', description: 'One.', parameters: { type: 'object', properties: {} } },
      },
    ])
    const [first] = registry.getSchemas()
    if (first) first.function.parameters.properties = {}
    expect(registry.getSchemas()).toEqual(schemas)
    expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas)
  })
})
