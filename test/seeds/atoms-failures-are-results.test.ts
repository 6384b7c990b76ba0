import { ConfigError, secret, tool } from 'cepa'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolRegistry } from '../../src/tools/registry.js'

let entered = 0
const add = tool(
  ({ a, b }) => {
    entered++
    return a + b
  },
  {
    name: 'add',
    description: 'x',
    schema: z.object({ a: z.number(), b: z.number() }),
  },
)
const fail = tool(() => Promise.reject(new Error('no seats left')), { name: 'fail', description: 'x' })
const registry = new ToolRegistry().register(add).register(fail)

describe('a call that fails', () => {
  test.each([true, false])('S14: is an error result, and its siblings go on (parallel: %s)', async (parallel) => {
    const results = await registry.execute(
      [
        { id: '1', name: 'ad', arguments: '{}' },
        { id: '2', name: 'add', arguments: '{"a":1' },
        { id: '3', name: 'add', arguments: '{"a":"x","b":1}' },
        { id: '4', name: 'fail', arguments: '' },
        { id: '5', name: 'add', arguments: '{"a":1,"b":2}' },
      ],
      { parallel },
    )
    expect(results.map(({ toolCallId, isError, code }) => [toolCallId, isError, code])).toEqual([
      ['1', true, 'TOOL_NOT_FOUND'],
      ['2', true, 'TOOL_INPUT'],
      ['3', true, 'TOOL_INPUT'],
      ['4', true, 'TOOL_FAILED'],
      ['5', false, undefined],
    ])
    const texts = results.map(({ content }) => content)
    expect(texts[0]).toContain('Did you mean "add"?')
    expect(texts[1]).toContain('not complete JSON')
    expect(texts[2]).toContain('a: ')
    expect(texts[3]).toBe('no seats left')
    expect(texts[4]).toBe('3')
    expect(results.every(({ message, content }) => message.content === content)).toBe(true)
  })

  test.each(['constructor', '__proto__', 'toString', ''])('the name %j is just unknown', async (name) => {
    const [result] = await registry.execute([{ id: '1', name, arguments: '{}' }])
    expect(result).toMatchObject({ name, isError: true, code: 'TOOL_NOT_FOUND' })
  })

  test('a headless tool has no implementation here', async () => {
    const headless = new ToolRegistry().register(tool({ name: 'geo', description: 'x' }))
    const [result] = await headless.execute([{ id: '1', name: 'geo', arguments: '' }])
    expect(result).toMatchObject({ code: 'TOOL_NOT_FOUND', content: expect.stringContaining('no implementation here') })
  })

  test('S16: arguments are checked, and the body is not entered', async () => {
    entered = 0
    const strict = new ToolRegistry().register(
      tool(() => entered++, { name: 'strict', description: 'x', schema: z.strictObject({ a: z.number() }) }),
    )
    const strips = new ToolRegistry().register(
      tool((args) => args, { name: 'strips', description: 'x', schema: z.object({ a: z.number() }) }),
    )
    const args = '{"a":1,"more":2}'
    expect(await strips.execute([{ id: '1', name: 'strips', arguments: args }])).toMatchObject([{ content: '{"a":1}' }])
    expect(await strict.execute([{ id: '1', name: 'strict', arguments: args }])).toMatchObject([{ code: 'TOOL_INPUT' }])
    const [missing] = await registry.execute([{ id: '1', name: 'add', arguments: '{"a":1}' }])
    expect(missing?.content).toContain('b: ')
    expect(entered).toBe(0)
  })

  test('S16: an own __proto__ key is never applied', async () => {
    const echo = tool((args) => args, { name: 'echo', description: 'x', schema: { type: 'object' } })
    await new ToolRegistry().register(echo).execute([{ id: '1', name: 'echo', arguments: '{"__proto__":{"x":1}}' }])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('case 127: known secrets are not in the text', async () => {
    const leaky = tool((_args, { deps }) => Promise.reject(new Error(`401 for ${deps.key.reveal()}`)), {
      name: 'leaky',
      description: 'x',
      inject: { key: secret(() => 'sk-top-secret') },
    })
    const [result] = await new ToolRegistry().register(leaky).execute([{ id: '1', name: 'leaky', arguments: '' }])
    expect(result?.content).toBe('401 for [redacted]')
  })

  test('wrong configuration rejects, once the others have settled', async () => {
    let done = false
    const both = new ToolRegistry()
      .register(tool((_args, runtime) => runtime.store.get(['a'], 'b'), { name: 'reads', description: 'x' }))
      .register(
        tool(
          async () => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            done = true
          },
          { name: 'slow', description: 'x' },
        ),
      )
    const running = both.execute(['reads', 'slow'].map((name) => ({ id: name, name, arguments: '' })))
    await expect(running).rejects.toThrow(ConfigError)
    expect(done).toBe(true)
  })
})
