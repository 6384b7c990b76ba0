import { type AnyMiddleware, compose, createAgent, createMiddleware, type Order } from 'cepa'
import { unless, when } from 'cepa/middleware'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from './checked.js'

const named = (name: string, order: Order = {}) => createMiddleware({ name, ...order })
const build = (...middleware: AnyMiddleware[]) => createAgent({ model: scriptedModel(() => 'x'), middleware })

describe('an order constraint', () => {
  const WRONG: [string, AnyMiddleware[], RegExp][] = [
    [
      'before',
      [named('b'), named('a', { before: 'b' })],
      /"a" \(position 2\) must be outside "b" \(position 1\): swap/,
    ],
    ['after', [named('a', { after: 'b' }), named('b')], /"a" \(position 1\) must be inside "b" \(position 2\): swap/],
    ['before one of several', [named('x'), named('c'), named('a', { before: ['b', 'c'] })], /"a" .*"c"/],
    ['outermost', [named('x'), named('a', { outermost: true })], /"a" \(position 2\) must be the outermost/],
    ['innermost', [named('a', { innermost: true }), named('x')], /"a" \(position 1\) must be the innermost/],
    ['before, in nested stacks', [compose('s', [named('b')]), named('a', { before: 'b' })], /"a".*"s\/b"/],
    ['before, kept by when()', [named('b'), when(() => true, named('a', { before: 'b' }))], /"a".*"b"/],
  ]
  it.each(WRONG)('%s that does not hold is a ConfigError that says what to move', (_title, middleware, message) => {
    expect(() => build(...middleware)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(message) }),
    )
  })

  it('that holds, or speaks of what is not there, is fine', () => {
    build(
      named('o', { outermost: true }),
      named('a', { before: ['b', 'nobody'] }),
      named('b', { after: 'a', innermost: true }),
    )
  })

  it('is checked by use() and with(), too', () => {
    const agent = build(named('a', { innermost: true }))
    expect(() => agent.use(named('b'))).toThrow(/"a"/)
    expect(() => agent.with(named('b'))).toThrow(/"a"/)
    expect(() => build(named('x')).use(named('o', { outermost: true }))).toThrow(/"o"/)
  })
})

describe('compose()', () => {
  const logging = (name: string, log: string[]) =>
    createMiddleware({
      name,
      stateSchema: { [`${name}N`]: z.number().default(0) },
      wrapRun: async (_run, next) => {
        log.push(`${name} in`)
        await next()
        log.push(`${name} out`)
      },
    })

  it('nests stacks in their place, under their names', async () => {
    const log: string[] = []
    const inner = compose('inner', [logging('b', log), async (_run: unknown, next: () => Promise<void>) => next()])
    const agent = build(logging('a', log), compose('outer', [inner, logging('c', log)]), logging('d', log))
    checked(await agent.invoke('go'))
    expect(log).toEqual(['a in', 'b in', 'c in', 'd in', 'd out', 'c out', 'b out', 'a out'])
    const failing = createMiddleware({
      name: 'x',
      beforeModel: () => ({ nope: 1 }) as never,
    })
    await expect(build(compose('outer', [compose('inner', [failing])])).invoke('go')).rejects.toThrow(
      /"outer\/inner\/x"/,
    )
  })

  it('lets two stacks have a part of one name, and refuses one stack twice', () => {
    build(compose('one', [named('a')]), compose('two', [named('a')]), named('a'))
    expect(() => build(compose('one', [named('a')]), compose('one', [named('a')]))).toThrow(/"one\/a"/)
    expect(() => compose('s', 'x' as never)).toThrow(/list of middleware/)
    expect(() => build(compose('s', [1 as never]))).toThrow(/middleware\[0\].stack\[0\]/)
  })

  it('when() and unless() reach into it, and ask state and context at each entry', async () => {
    const log: string[] = []
    const stateSchema = { on: z.boolean().default(false) }
    const hooks = (name: string) =>
      createMiddleware({
        name,
        stateSchema,
        beforeModel: () => void log.push(`${name} hook`),
        wrapModelCall: (_request, handler) => {
          log.push(`${name} layer`)
          return handler()
        },
        tools: () => {
          log.push(`${name} tools`)
          return []
        },
      })
    const isOn = ({ state }: { state: object }) => (state as { on: boolean }).on
    const agent = build(when(isOn, compose('s', [hooks('a')])), unless(isOn, hooks('b')))
    await agent.invoke({ messages: [], on: true } as never)
    await agent.invoke({ messages: [] })
    expect(log).toEqual(['a hook', 'a tools', 'a layer', 'b hook', 'b tools', 'b layer'])
  })
})
