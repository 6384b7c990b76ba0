import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { Scope } from '../../src/internal/scope.js'
import type { ToolRuntime } from '../../src/runtime.js'
import { tool } from '../../src/tools/tool.js'
import { run } from './body.js'

const options = { name: 'work', description: 'Works.' }

/** Makes traced dependencies, some disposed at once, some later. */
function tracer() {
  const trace: string[] = []
  const made = (name: string, kind: 'sync' | 'async' = 'sync') => {
    trace.push(`+${name}`)
    const note = (): void => void trace.push(`-${name}`)
    return {
      name,
      ...(kind === 'sync' ? { [Symbol.dispose]: note } : { [Symbol.asyncDispose]: async () => note() }),
    }
  }
  return { trace, made }
}

describe('dependencies', () => {
  test('A20: are made in the order of inject, before the body, and disposed the last first', async () => {
    const { trace, made } = tracer()
    const work = tool((_args, { deps }) => void trace.push(`body ${deps.a.name} ${deps.b.name}`), {
      ...options,
      inject: { a: () => made('a'), b: async () => made('b', 'async') },
    })
    await run(work)
    expect(trace).toEqual(['+a', '+b', 'body a b', '-b', '-a'])
  })

  test('A20: one that is read by another is made first, once', async () => {
    const { trace, made } = tracer()
    const work = tool((_args, { deps }) => deps.a.name + deps.b.name, {
      ...options,
      inject: {
        a: ({ deps }: ToolRuntime<{}, {}, { b: { name: string } }>) => made(`a(${deps.b.name})`),
        b: () => made('b'),
      },
    })
    expect(await run(work)).toMatchObject({ content: 'a(b)b' })
    expect(trace).toEqual(['+b', '+a(b)', '-a(b)', '-b'])
  })

  test('A20: an asynchronous one is a promise for another factory, and its value for the body', async () => {
    const { trace, made } = tracer()
    const work = tool((_args, { deps }) => deps.a.name + deps.b.name, {
      ...options,
      inject: {
        a: async ({ deps }: ToolRuntime<{}, {}, { b: Promise<{ name: string }> }>) => made(`a(${(await deps.b).name})`),
        b: async () => made('b'),
      },
    })
    expect(await run(work)).toMatchObject({ content: 'a(b)b' })
    expect(trace).toEqual(['+b', '+a(b)', '-a(b)', '-b'])
  })

  test('A20: are disposed after a throw, of the body or of a factory, and after an abort', async () => {
    const { trace, made } = tracer()
    const thrower = tool(() => Promise.reject(new Error('no')), { ...options, inject: { a: () => made('a') } })
    await expect(run(thrower)).rejects.toThrow('no')
    const failing = tool(() => 'never', {
      ...options,
      inject: {
        a: () => made('a'),
        b: (): string => {
          throw new Error('no b')
        },
      },
    })
    await expect(run(failing)).rejects.toThrow('no b')
    const scope = new Scope()
    const endless = tool(() => new Promise(() => {}), { ...options, inject: { a: () => made('a', 'async') } })
    const running = run(endless, {}, { scope })
    scope.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
    expect(trace).toEqual(['+a', '-a', '+a', '-a', '+a', '-a'])
  })

  test('A20: one that comes after an abort is disposed when it comes', async () => {
    const { trace, made } = tracer()
    let arrive = (): void => {}
    const late = tool(() => 'never', {
      ...options,
      inject: { a: () => new Promise((resolve) => (arrive = () => resolve(made('a')))), b: () => made('b') },
    })
    const scope = new Scope()
    const running = run(late, {}, { scope })
    scope.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
    arrive()
    await new Promise((resolve) => setTimeout(resolve))
    expect(trace).toEqual(['+a', '-a'])
  })

  test.each(['sync', 'async'])('A20: a cycle is a ConfigError that names the chain (%s)', async (kind) => {
    type Peers = ToolRuntime<{}, {}, Record<'a' | 'b' | 'c', unknown>>
    const inject =
      kind === 'sync'
        ? {
            a: ({ deps }: Peers): unknown => deps.b,
            b: ({ deps }: Peers): unknown => deps.c,
            c: ({ deps }: Peers): unknown => deps.a,
          }
        : {
            a: async ({ deps }: Peers): Promise<unknown> => await deps.b,
            b: async ({ deps }: Peers): Promise<unknown> => {
              await undefined
              return await deps.c
            },
            c: async ({ deps }: Peers): Promise<unknown> => await deps.a,
          }
    const error = await Promise.resolve(run(tool(() => 'never', { ...options, inject }))).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toMatch(/tool "work": .*inject\.c → inject\.a → inject\.b → inject\.c/)
  })

  test('a disposal that throws hides no result, and the others go on', async () => {
    const { trace, made } = tracer()
    const errors: unknown[] = []
    const work = tool(() => 'done', {
      ...options,
      inject: {
        a: () => made('a'),
        b: () => ({
          [Symbol.dispose]: () => {
            throw new Error('stuck')
          },
        }),
        c: () => ({ [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck too')) }),
      },
    })
    expect(await run(work, {}, { onDisposeError: (error) => errors.push(error) })).toMatchObject({ content: 'done' })
    expect(errors).toEqual([new Error('stuck too'), new Error('stuck')])
    expect(trace).toEqual(['+a', '-a'])
  })

  test('A24: are the tool’s own, made anew for each call, and never filled from arguments', async () => {
    let count = 0
    const work = tool((_args, { deps }: ToolRuntime<{}, {}, { n: number }>) => deps, {
      ...options,
      schema: { type: 'object', properties: {} },
      inject: { n: () => ++count },
    })
    expect(await run(work, { n: 99, other: 1 })).toMatchObject({ content: '{"n":1}' })
    expect(await run(work)).toMatchObject({ content: '{"n":2}' })
    expect(JSON.stringify(work.inputSchema)).toBe('{"type":"object","properties":{}}')
  })
})
