import compose from 'koa-compose'
import { describe, expect, it } from 'vitest'
import { rejection } from '../run/checked.js'

type Step = (context: string[], next: () => Promise<unknown>) => unknown
const composed = (steps: readonly Step[]) => compose<string[], unknown>(steps)

// What the onions rest on. Red here: the pinned koa-compose has changed under us.
describe('koa-compose', () => {
  it('rejects a second next() of a step, also when the first one failed: the guard', async () => {
    for (const failing of [false, true]) {
      const entered: string[] = []
      const run = composed([
        async (_context, next) => {
          await next().catch(() => {})
          await next()
        },
        (context) => {
          context.push('core')
          if (failing) throw new Error('inner')
        },
      ])
      expect(await rejection(run(entered))).toMatchObject({ message: 'next() called multiple times' })
      expect(entered).toEqual(['core'])
    }
  })

  it('may be called again and concurrently, each call with a guard of its own', async () => {
    const run = composed([(_context, next) => next(), (context) => context.push('core')])
    const contexts = Array.from({ length: 50 }, (): string[] => [])
    await Promise.all([...contexts.map(run), ...contexts.map(run)])
    expect(contexts.every((context) => context.length === 2)).toBe(true)
  })

  it('resolves next() to what the inner function gave, and drops an argument of next()', async () => {
    const first: string[] = []
    let seen: unknown
    const run = composed([
      async (_context, next) => `<${await (next as (argument: string[]) => Promise<unknown>)(['other'])}>`,
      (context) => {
        seen = context
        return 'value'
      },
    ])
    expect(await run(first)).toBe('<value>')
    expect(seen).toBe(first)
  })

  it('turns a synchronous throw into a rejection, and a step that does not go on into the end', async () => {
    const boom = new Error('boom')
    const throwing = composed([
      () => {
        throw boom
      },
    ])
    expect(await rejection(throwing([]))).toBe(boom)
    const entered: string[] = []
    expect(await composed([() => 'early', (context) => context.push('core')])(entered)).toBe('early')
    expect(entered).toEqual([])
    expect(await composed([(_context, next) => next()])([])).toBeUndefined()
  })

  it('checks for a list of functions, and flattens nested lists', async () => {
    const loose: (stack: unknown) => (context: string[]) => Promise<unknown> = compose as never
    expect(() => loose('no list')).toThrow(TypeError)
    expect(() => loose([() => {}, 1])).toThrow(TypeError)
    const order: string[] = []
    await loose([[(context: string[], next: () => Promise<unknown>) => next().then(() => context.push('a'))]])(order)
    expect(order).toEqual(['a'])
  })

  it('does not drive an async generator: the generator comes back', async () => {
    const run = composed([
      async function* () {
        yield 'never'
      },
    ])
    expect(await run([])).toHaveProperty('next')
  })
})
