import { createAgent, rewriteText, wrapModelCall } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { expect, test } from 'vitest'

/** Shows a text only when it is whole. */
const held = wrapModelCall(
  rewriteText(() => {
    let text = ''
    return {
      write(more) {
        text += more
        return ''
      },
      end: () => text,
    }
  }),
)
const again = wrapModelCall((request, handler) => handler(request).catch(() => handler(request)))

test('a rewriter outside a retry written by hand shows the attempt that counted alone', async () => {
  const model = scriptedModel([{ deltas: ['half of'], error: new Error('cut') }, 'whole'])
  const stream = createAgent({ model, middleware: [held, again] }).stream('go')
  let text = ''
  for await (const piece of stream.text) text += piece
  expect(text).toBe('whole')
  expect((await stream.result).output).toBe('whole')
})

test('attempts that race show one text, without a reset', async () => {
  const model = scriptedModel([{ delayMs: 5, text: 'slow' }, 'fast'])
  const race = wrapModelCall((request, handler) => {
    const enter = async () => {
      const kept: Parameters<typeof request.emit>[0][] = []
      const response = await handler(request.override({ emit: (delta) => void kept.push(delta) }))
      return { response, kept }
    }
    return Promise.race([enter(), enter()]).then(async ({ response, kept }) => {
      for (const delta of kept) await request.emit(delta)
      return response
    })
  })
  const shown: string[] = []
  for await (const event of createAgent({ model, middleware: [race] }).stream('go')) {
    if (event.type === 'delta') shown.push(event.delta.type === 'reset' ? 'reset' : event.delta.text)
  }
  expect(shown.join('')).toBe('fast')
})
