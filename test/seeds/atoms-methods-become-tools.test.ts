import { describe, expect, test } from 'vitest'
import { functionTool } from '../../src/tools/decorator.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { loadDecorated } from './load-decorated.js'

const { Base, Hidden, Weather } = await loadDecorated()

/** A registry of what was found on an object. */
function registryOf(object: object): ToolRegistry {
  const registry = new ToolRegistry()
  registry.discover(object)
  return registry
}

describe('a marked method', () => {
  test('S1: can be called as before, and is named after itself', () => {
    const weather = new Weather()
    expect(weather.getWeather({ city: 'Oslo' })).toBe('Sunny in Oslo, 21 C')
    expect(registryOf(weather).names).toEqual(['getWeather', 'now', 'units', 'who', 'hello'])
  })

  test('S2: has the schema that it was given, or no arguments', () => {
    const registry = registryOf(new Weather())
    expect(registry.get('getWeather')).toMatchObject({
      description: 'The weather of a city.',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string', description: 'Name of the city.' } },
        required: ['city'],
      },
    })
    expect(registry.get('now')?.inputSchema).toEqual({ type: 'object', properties: {} })
  })

  test('S5: is bound to the object, an override keeps the base’s description, and no getter is called', async () => {
    const weather = new Weather()
    const registry = registryOf(weather)
    weather.unit = 'F'
    const results = await registry.execute([
      { id: '1', name: 'getWeather', arguments: '{"city":"Rome"}' },
      { id: '2', name: 'who', arguments: '' },
      { id: '3', name: 'units', arguments: '{}' },
    ])
    expect(results.map(({ content }) => content)).toEqual(['Sunny in Rome, 21 F', 'weather base', '["F"]'])
    expect(registry.get('who')?.description).toBe('Says who it is.')
  })

  test('a subclass adds nothing to its base', () => {
    expect(new ToolRegistry().discover(new Base())).toEqual(['hello', 'who'])
  })

  test('a getter that overrides a marked method hides it', () => {
    expect(new ToolRegistry().discover(new Hidden())).toEqual(['who'])
  })

  test('what cannot be reached, or is no method, is refused where it is marked', () => {
    const decorate = functionTool({ description: 'x' }) as unknown as (value: unknown, context: object) => unknown
    const at = { kind: 'method', name: '#hidden', private: true, static: false }
    expect(() => decorate(() => 1, at)).toThrow(/expected a public method, got the private "#hidden"/)
    expect(() => decorate(undefined, { ...at, kind: 'field', name: 'x' })).toThrow(
      /expected a method, got the field "x"/,
    )
    expect(() =>
      functionTool({ descripton: 'x' } as never)(() => 1, { ...at, private: false, name: 'a' } as never),
    ).toThrow(/unknown option "descripton"; did you mean description\?/)
  })

  test('metadata names the tools of a class, and of its base as they were there', () => {
    const key = Symbol.for('cepa.functionTools')
    const of = (from: object): string[] => {
      const metadata = (from as Record<symbol, Record<symbol, object>>)[Symbol.metadata]
      return Object.keys(metadata?.[key] ?? {})
    }
    expect(of(Base)).toEqual(['hello', 'who'])
    expect(of(Weather)).toEqual(['hello', 'who', 'getWeather', 'now', 'getUnits'])
  })
})
