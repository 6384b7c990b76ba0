// Tools without an agent, in a loop of one's own. Run: npx tsx --conditions=@cepa/source examples/registry.ts
import { tool } from 'cepa'
import { functionTool, ToolRegistry } from 'cepa/registry'
import { z } from 'zod'

// Methods become tools by a decorator, and stay methods.
class Assistant {
  readonly registry = new ToolRegistry()
  readonly #temperatures = new Map([['Oslo', 8]])

  constructor() {
    this.registry.discover(this)
  }

  @functionTool({ description: 'The weather of a city.', schema: z.object({ city: z.string() }) })
  getWeather({ city }: { city: string }): string {
    const degrees = this.#temperatures.get(city)
    if (degrees === undefined) throw new Error(`I know nothing of ${city}.`)
    return `${degrees} °C in ${city}`
  }
}

const { registry } = new Assistant()

// Without decorators: a tool, or a marked function.
registry.register(
  tool(({ a, b }) => a + b, {
    name: 'add',
    description: 'Adds two numbers.',
    schema: z.object({ a: z.number(), b: z.number() }),
  }),
)
registry.register(functionTool.of(() => new Date(0).toISOString(), { name: 'now', description: 'The time.' }))

// Give these to any client that takes OpenAI's format.
for (const { function: schema } of registry.getSchemas())
  console.log(`${schema.name}(${Object.keys(schema.parameters.properties ?? {}).join(', ')})`)

// Then execute what the model called, in either shape: one result for each call, in call order.
const results = await registry.execute([
  { id: '1', type: 'function', function: { name: 'getWeather', arguments: '{"city":"Oslo"}' } },
  { id: '2', name: 'add', arguments: '{"a":1,"b":2}' },
  { id: '3', name: 'add', arguments: '{"a":1}' },
  { id: '4', name: 'getWeather', arguments: '{"city":"Atlantis"}' },
  { id: '5', name: 'translate', arguments: '{}' },
])
for (const { toolCallId, isError, code, content } of results)
  console.log(`${toolCallId} ${isError ? code : 'ok'}: ${content}`)
