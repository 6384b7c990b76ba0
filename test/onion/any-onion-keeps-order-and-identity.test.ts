import fc from 'fast-check'
import { expect, it } from 'vitest'
import { calls, type NamedLayer, type NamedStep, steps } from '../../src/onion.js'
import { rejection, tick } from '../run/checked.js'

const RUNS = { numRuns: 500 }
const boom = new Error('boom')

it('steps: in by order, out in reverse, each finally once, errors the same object, for any stack', async () => {
  const step = fc.record({
    waits: fc.boolean(),
    rescues: fc.boolean(),
    fails: fc.constantFrom('no', 'before', 'after'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (stack, coreFails) => {
      const log: string[] = []
      const list = stack.map(
        ({ waits, rescues, fails }, index): NamedStep<object> => ({
          name: `s${index}`,
          run: async (_context, next) => {
            log.push(`in ${index}`)
            try {
              if (waits) await tick()
              if (fails === 'before') throw boom
              if (rescues) await next().catch(() => {})
              else await next()
              if (fails === 'after') throw boom
            } finally {
              log.push(`out ${index}`)
            }
          },
        }),
      )
      const core = async (): Promise<void> => {
        log.push('core')
        if (coreFails) throw boom
      }
      const run = steps(list, core, () => {})({})
      // What must come of it, by plain recursion.
      const expected: string[] = []
      const model = (index: number): boolean => {
        const one = stack[index]
        if (one === undefined) {
          expected.push('core')
          return coreFails
        }
        expected.push(`in ${index}`)
        const inner = one.fails === 'before' ? true : model(index + 1) && !one.rescues
        expected.push(`out ${index}`)
        return one.fails === 'before' || inner || one.fails === 'after'
      }
      const fails = model(0)
      if (fails) expect(await rejection(run)).toBe(boom)
      else await run
      expect(log).toEqual(expected)
    }),
    RUNS,
  )
})

it('steps: whatever is entered twice or not awaited rejects and leaves nothing running', async () => {
  const way = fc.constantFrom('awaits', 'returns', 'forgets', 'twice', 'twice at once', 'forgets two')
  await fc.assert(
    fc.asyncProperty(
      fc.array(way, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 3 }),
      async (ways, ticks) => {
        let running = 0
        let entered = 0
        const list = ways.map(
          (how, index): NamedStep<object> => ({
            name: `s${index}`,
            run: async (_context, next) => {
              if (how === 'awaits') await next()
              if (how === 'returns') return next()
              if (how === 'forgets') void next()
              if (how === 'forgets two') for (const _ of [1, 2]) void next()
              if (how === 'twice') {
                await next()
                await next()
              }
              if (how === 'twice at once') await Promise.all([next(), next()])
            },
          }),
        )
        const core = async (): Promise<void> => {
          entered++
          running++
          for (let wait = 0; wait < ticks; wait++) await tick()
          running--
        }
        const error = await steps(list, core, () => {})({}).then(
          () => undefined,
          (reason: unknown) => reason as Error,
        )
        expect([entered, running]).toEqual([1, 0])
        if (ways.every((how) => how === 'awaits' || how === 'returns')) expect(error).toBeUndefined()
        if (ways.some((how) => how.startsWith('twice'))) expect(error).toBeDefined()
        if (ticks > 0 && !ways.some((how) => how.startsWith('twice')) && ways.some((how) => how.startsWith('forgets')))
          expect(error).toMatchObject({ code: 'STEP_NOT_AWAITED' })
      },
    ),
    RUNS,
  )
})

it('calls: any pattern of sequential, nested and racing entries; paths distinct, whatever the timing below', async () => {
  const layer = fc.record({ times: fc.integer({ min: 0, max: 3 }), at: fc.constantFrom('once', 'turns') })
  const delays = fc.infiniteStream(fc.integer({ min: 0, max: 2 }))
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { maxLength: 4 }), delays, delays, async (stack, first, second) => {
      const pathsWith = async (delay: Iterator<number>): Promise<string[]> => {
        const paths: string[] = []
        const layers = stack.map(
          ({ times, at }, index): NamedLayer<number, string> => ({
            name: `l${index}`,
            run: async (request, handler) => {
              const entries = Array.from({ length: times }, () => undefined)
              if (at === 'once') return (await Promise.all(entries.map(() => handler(request)))).join()
              const given: string[] = []
              for (const _ of entries) given.push(await handler())
              return given.join()
            },
          }),
        )
        const run = calls<number, string>(
          layers,
          async ({ path }) => {
            paths.push(path)
            for (let wait = delay.next().value as number; wait > 0; wait--) await tick()
            return path
          },
          { accept: (changed) => changed as number, settle: (response) => response },
        )
        await run(1)
        return paths
      }
      const paths = await pathsWith(first[Symbol.iterator]())
      expect(paths).toHaveLength(stack.reduce((product, { times }) => product * times, 1))
      expect(new Set(paths).size).toBe(paths.length)
      expect((await pathsWith(second[Symbol.iterator]())).sort()).toEqual(paths.sort())
    }),
    RUNS,
  )
}, 30_000)
