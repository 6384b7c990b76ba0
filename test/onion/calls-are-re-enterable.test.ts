import { describe, expect, it } from 'vitest'
import { calls, type Entry, type NamedLayer } from '../../src/onion.js'
import { rejection, tick } from '../run/checked.js'

type Layer = NamedLayer<string, string>
const rules = {
  accept: (changed: unknown) => changed as string,
  settle: (response: string) => response,
}
const named = (name: string, run: Layer['run']): Layer => ({ name, run })
const answer = async (entry: Entry<string>): Promise<string> => `core(${entry.request})`

describe('calls', () => {
  it('give each handler the whole rest below it: order and values', async () => {
    const wrap = (name: string): Layer => named(name, async (request, handler) => `${name}[${await handler(request)}]`)
    expect(await calls([wrap('a'), wrap('b')], answer, rules)('x')).toBe('a[b[core(x)]]')
    expect(await calls([], answer, rules)('x')).toBe('core(x)')
  })

  it('case 1: every entry runs all inner layers afresh: retries, nested retries, races', async () => {
    let inner = 0
    let cores = 0
    const twice = named('twice', async (request, handler) => {
      await handler(request)
      return handler()
    })
    const race = named('race', (request, handler) => Promise.race([handler(request), handler(request)]))
    const count = named('count', (_request, handler) => {
      inner++
      return handler()
    })
    const core = async (): Promise<string> => String(++cores)
    await calls([twice, race, count], core, rules)('x')
    expect([inner, cores]).toEqual([4, 4])
  })

  it('case 1: entries that nobody awaits are no unhandled rejection', async () => {
    const failing = async (): Promise<string> => {
      await tick()
      throw new Error('late')
    }
    const careless = named('careless', (_request, handler) => {
      handler()
      handler()
      return 'made up'
    })
    expect(await calls([careless], failing, rules)('x')).toBe('made up')
    await tick()
  })

  it('pass a changed request down for one entry only', async () => {
    const fallback = named(
      'fallback',
      async (request, handler) => `${await handler('other')} ${await handler()}${request}`,
    )
    expect(await calls([fallback], answer, rules)('x')).toBe('core(other) core(x)x')
  })

  it('pass errors outwards as the same object, synchronous throws too, and let a layer rescue', async () => {
    const boom = new Error('boom')
    const throwing = named('throwing', () => {
      throw boom
    })
    const pass = named('pass', (_request, handler) => handler())
    expect(await rejection(calls([pass, throwing], answer, rules)('x'))).toBe(boom)
    const rescue = named('rescue', (_request, handler) => handler().catch((error) => String(error.message)))
    expect(await calls([rescue, throwing], answer, rules)('x')).toBe('boom')
  })

  it('run fifty at once through one onion, each with its own request', async () => {
    const slow = named('slow', async (_request, handler) => {
      await tick()
      return handler()
    })
    const run = calls([slow, slow], answer, rules)
    const given = Array.from({ length: 50 }, (_, index) => String(index))
    expect(await Promise.all(given.map(run))).toEqual(given.map((request) => `core(${request})`))
  })

  it('hold a thousand deep', async () => {
    const layers = Array.from({ length: 1000 }, (_, index) => named(`l${index}`, (_request, handler) => handler()))
    expect(await calls(layers, answer, rules)('x')).toBe('core(x)')
  })

  it('show three attempts as siblings to an observer, with their paths', async () => {
    const seen: string[] = []
    const retry = named('retry', async (_request, handler) => {
      await handler().catch(() => {})
      await handler().catch(() => {})
      return handler()
    })
    const pass = named('pass', (_request, handler) => handler())
    const run = calls([retry, pass], answer, {
      ...rules,
      observe: (layer, entry, enter) => {
        seen.push(`${layer} at ${entry.path}`)
        return enter()
      },
    })
    await run('x')
    expect(seen).toEqual([
      'retry at ',
      'pass at retry:1',
      'core at retry:1/pass:1',
      'pass at retry:2',
      'core at retry:2/pass:1',
      'pass at retry:3',
      'core at retry:3/pass:1',
    ])
  })
})
