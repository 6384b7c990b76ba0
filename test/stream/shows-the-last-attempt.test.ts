import { createAgent, type Delta, reply, wrapModelCall } from 'cepa'
import { type ScriptedReply, scriptedModel } from 'cepa/models/scripted'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAll } from '../run/checked.js'

const retry = wrapModelCall(async (_request, handler) => {
  for (let left = 20; ; left--) {
    try {
      return await handler()
    } catch (error) {
      if (left === 0) throw error
    }
  }
})

async function play(script: readonly ScriptedReply[], middleware = [retry]) {
  const { events, result } = await readAll(createAgent({ model: scriptedModel(script), middleware }).stream('go'))
  let text = ''
  const attempts = new Set<number>()
  for (const event of events) {
    if (event.type !== 'delta') continue
    if (event.delta.type === 'reset') text = ''
    if (event.delta.type === 'text') text += event.delta.text
    attempts.add(event.attempt)
  }
  const starts = events.flatMap((event) => (event.type === 'model-start' ? event.attempt : []))
  return { text, output: result.output, attempts: [...attempts], starts, usage: result.usage.requests }
}

describe('a retry after tokens were shown', () => {
  it('resets, then shows the last attempt only, for any failures before it', async () => {
    const pieces = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 4 }), pieces, async (failures, last) => {
        const cut = (deltas: string[]): ScriptedReply => ({ deltas, error: new Error('cut') })
        const { text, output, starts, usage } = await play([...failures.map(cut), { deltas: last }])
        expect([text, output]).toEqual([last.join(''), last.join('')])
        expect(starts).toEqual(Array.from({ length: failures.length + 1 }, (_, index) => index + 1))
        expect(usage).toBe(failures.length + 1)
      }),
      { numRuns: 500 },
    )
  }, 30_000)

  it('stamps deltas with the attempt that they are of', async () => {
    const { attempts } = await play([{ deltas: ['a'], error: new Error('x') }, { deltas: ['b'] }])
    expect(attempts).toEqual([1, 2])
  })
})

it('a reply that a layer made up, or changed without rewriting the tokens, is shown whole', async () => {
  const made = wrapModelCall(async () => reply('made up'))
  expect(await play([], [made])).toMatchObject({ text: 'made up', output: 'made up' })
  const changed = wrapModelCall(async (_request, handler) => {
    const response = await handler()
    return { ...response, message: { ...response.message, content: 'other' } }
  })
  expect(await play([{ deltas: ['first'] }], [changed])).toMatchObject({ text: 'other', output: 'other' })
})

it('a race gives each entry an emit that collects; the winner is shown whole', async () => {
  const race = wrapModelCall(async (request, handler) => {
    const entry = (): ReturnType<typeof handler> => {
      const collected: Delta[] = []
      return handler(request.override({ emit: (delta) => void collected.push(delta) }))
    }
    const [, second] = await Promise.all([entry(), entry()])
    return second
  })
  expect(await play([{ deltas: ['one'] }, { deltas: ['two'] }], [race])).toMatchObject({ text: 'two', output: 'two' })
})
