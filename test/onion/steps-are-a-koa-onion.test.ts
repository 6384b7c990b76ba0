import { describe, expect, it } from 'vitest'
import { type NamedStep, steps } from '../../src/onion.js'
import { rejection, tick } from '../run/checked.js'

type Context = { readonly log: string[] }
const named = (run: NamedStep<Context>['run'], name = 'step'): NamedStep<Context> => ({ name, run })
const around = (name: string): NamedStep<Context> =>
  named(async ({ log }, next) => {
    log.push(`${name} in`)
    try {
      await next()
      log.push(`${name} out`)
    } finally {
      log.push(`${name} finally`)
    }
  }, name)
const core = async ({ log }: Context): Promise<void> => {
  log.push('core')
}
const build = (list: readonly NamedStep<Context>[], inside = core, cancelled: unknown[] = []) =>
  steps(list, inside, (_context, error) => cancelled.push(error))

describe('steps', () => {
  it('are entered in order and left in reverse, each finally once', async () => {
    const context: Context = { log: [] }
    await build([around('a'), around('b')])(context)
    expect(context.log).toEqual(['a in', 'b in', 'core', 'b out', 'b finally', 'a out', 'a finally'])
  })

  it('pass an error outwards as the same object, and may rescue it', async () => {
    const boom = new Error('boom')
    const failing = async (): Promise<void> => {
      throw boom
    }
    const context: Context = { log: [] }
    expect(await rejection(build([around('a'), around('b')], failing)(context))).toBe(boom)
    expect(context.log).toEqual(['a in', 'b in', 'b finally', 'a finally'])
    const rescue = named((_context, next) => next().catch(() => {}))
    await build([rescue, around('b')], failing)({ log: [] })
  })

  it('reject on a synchronous throw, and end where a step does not go on', async () => {
    const boom = new Error('boom')
    const throwing = named(() => {
      throw boom
    })
    expect(await rejection(build([throwing])({ log: [] }))).toBe(boom)
    const context: Context = { log: [] }
    await build([around('a'), named(() => {})])(context)
    expect(context.log).toEqual(['a in', 'a out', 'a finally'])
  })

  it('case 1: a second next() rejects with the error of koa-compose, where it is awaited', async () => {
    const context: Context = { log: [] }
    const twice = named(async (_context, next) => {
      await next()
      await next()
    })
    expect(await rejection(build([twice])(context))).toMatchObject({ message: 'next() called multiple times' })
    expect(context.log).toEqual(['core'])
  })

  it('case 1: two un-awaited next() calls are STEP_NOT_AWAITED, and never an unhandled rejection', async () => {
    const cancelled: unknown[] = []
    const late = async ({ log }: Context): Promise<void> => {
      await tick()
      log.push('core')
      throw new Error('late')
    }
    const careless = named((_context, next) => {
      next()
      next()
    }, 'careless')
    const context: Context = { log: [] }
    const error = await rejection(build([careless], late, cancelled)(context))
    expect(error).toMatchObject({ code: 'STEP_NOT_AWAITED', message: expect.stringContaining('"careless"') })
    expect(cancelled).toEqual([error])
    expect(context.log, 'the core was waited for').toEqual(['core'])
  })

  it('case 1: the error of a layer that did not wait stands, and its core is still waited for', async () => {
    const boom = new Error('boom')
    const context: Context = { log: [] }
    const late = async ({ log }: Context): Promise<void> => {
      await tick()
      log.push('core')
    }
    const careless = named((_context, next) => {
      next()
      throw boom
    })
    expect(await rejection(build([careless], late)(context))).toBe(boom)
    expect(context.log).toEqual(['core'])
  })

  it('refuse a next() that is called after the onion was left, without entering the core', async () => {
    let kept: (() => Promise<void>) | undefined
    const keeping = named((_context, next) => {
      kept = next
    })
    const context: Context = { log: [] }
    await build([keeping])(context)
    expect(await rejection(kept?.() as Promise<void>)).toMatchObject({ code: 'STEP_TWICE' })
    expect(context.log).toEqual([])
  })

  it('may be built once and run a hundred times at once', async () => {
    const run = build([around('a'), around('b')])
    const contexts = Array.from({ length: 100 }, (): Context => ({ log: [] }))
    await Promise.all(contexts.map(run))
    expect(contexts.every(({ log }) => log.join() === contexts[0]?.log.join())).toBe(true)
  })

  it('hold a thousand deep', async () => {
    let depth = 0
    const deep = Array.from({ length: 1000 }, () =>
      named(async (_context, next) => {
        depth++
        await next()
        depth--
      }),
    )
    let inside = 0
    await build(deep, async () => {
      inside = depth
    })({ log: [] })
    expect([inside, depth]).toEqual([1000, 0])
  })
})
