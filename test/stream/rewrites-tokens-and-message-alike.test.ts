import { createAgent, rewriteText, type TextRewriter, wrapModelCall } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checked, readAll } from '../run/checked.js'

const EMAIL = /\S+@\S+\.\w+/g
/** Holds back the last word, which may go on in the next piece. */
const redact = (): TextRewriter => {
  let held = ''
  return {
    write(text) {
      held += text
      const cut = held.search(/\S*$/)
      const out = held.slice(0, cut)
      held = held.slice(cut)
      return out.replace(EMAIL, '[email]')
    },
    end: () => held.replace(EMAIL, '[email]'),
  }
}
const layer = () => wrapModelCall(rewriteText(redact))

/** Text as a reader puts it together: a reset voids what came before. */
async function shown(agent: ReturnType<typeof createAgent>): Promise<{ text: string; all: string; output: unknown }> {
  const { events, result } = await readAll(agent.stream('go'))
  let text = ''
  let all = ''
  for (const event of events) {
    if (event.type !== 'delta') continue
    if (event.delta.type === 'reset') text = ''
    if (event.delta.type !== 'text') continue
    text += event.delta.text
    all += event.delta.text
  }
  return { text, all, output: checked(result).output }
}

describe('rewriteText', () => {
  it('is the same for any split of the deltas', async () => {
    const words = fc.array(fc.constantFrom('ann@mail.org', 'hello', 'a@b.c', '😀', ' ', '\n', ' at '), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(words, fc.array(fc.nat(80), { maxLength: 6 }), async (parts, cuts) => {
        const text = parts.join('')
        const at = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b)
        const deltas = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
        const expected = text.replace(EMAIL, '[email]')
        const streamed = await shown(createAgent({ model: scriptedModel([{ deltas, text }]), middleware: [layer()] }))
        expect(streamed).toMatchObject({ text: expected, output: expected })
        expect(streamed.all).not.toMatch(EMAIL)
        const whole = await createAgent({ model: scriptedModel([text]), middleware: [layer()] }).invoke('go')
        expect(whole.output).toBe(expected)
      }),
      { numRuns: 500 },
    )
  }, 30_000)

  it.each(['outside', 'inside'])(
    'starts anew after a retry %s of it: only the last attempt is shown',
    async (where) => {
      const retry = wrapModelCall((_request, handler) => handler().catch(() => handler()))
      const middleware = where === 'outside' ? [retry, layer()] : [layer(), retry]
      const model = scriptedModel([
        { deltas: ['bob@', 'mail'], error: new Error('cut') },
        { deltas: ['Hi ', 'ann@', 'x.y'] },
      ])
      const { text, all, output } = await shown(createAgent({ model, middleware }))
      expect([text, output]).toEqual(['Hi [email]', 'Hi [email]'])
      expect(all).not.toContain('@')
    },
  )

  it('two of them nest', async () => {
    const shout = wrapModelCall(rewriteText(() => ({ write: (text) => text.toUpperCase(), end: () => '!' })))
    const model = () => scriptedModel([{ deltas: ['write to ', 'ann@x.', 'org'] }])
    for (const middleware of [
      [shout, layer()],
      [layer(), shout],
    ]) {
      const { text, output } = await shown(createAgent({ model: model(), middleware }))
      expect(text).toBe(output)
    }
  })
})

describe('rewriteText refuses', () => {
  const config = (message: string) =>
    expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(message) })

  it.each([undefined, null, { write: () => '', end: () => '' }])(
    '%j in place of a function, when it is made',
    (make) => {
      expect(() => rewriteText(make as never)).toThrow(config('expected a function () => { write, end }, got '))
    },
  )

  it.each<[string, unknown, string]>([
    ['no rewriter', undefined, 'write() gives a string, got undefined'],
    ['a rewriter without write', { end: () => '' }, 'write() gives a string, got undefined'],
    ['a rewriter without end', { write: () => '' }, 'end() gives a string, got undefined'],
    ['a write that is no function', { write: 'text', end: () => '' }, 'write() gives a string, got undefined'],
    ['a write that gives nothing', { write: () => {}, end: () => '' }, 'write() gives a string, got undefined'],
    ['an end that gives a number', { write: () => '', end: () => 3 }, 'end() gives a string, got 3'],
    ['a write that is async', { write: async () => '', end: () => '' }, 'write() gives a string, got a Promise'],
  ])('%s, streamed or not, and shows nothing', async (_what, rewriter, message) => {
    const agent = createAgent({
      model: scriptedModel(() => ({ deltas: ['hi'], text: 'hi' })),
      middleware: [wrapModelCall(rewriteText(() => rewriter as never))],
    })
    await expect(agent.invoke('go')).rejects.toEqual(config(message))
    const stream = agent.stream('go')
    let text = ''
    const read = async () => {
      for await (const event of stream)
        if (event.type === 'delta' && event.delta.type === 'text') text += event.delta.text
    }
    await read().catch(() => {})
    await expect(stream.result).rejects.toEqual(config(message))
    expect(text).toBe('')
  })
})
