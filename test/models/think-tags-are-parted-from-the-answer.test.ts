import { describe, expect, it } from 'vitest'
import { DONE, delta, finish } from '../fixtures/sse.js'
import { shown, stream, unstreamed } from './play.js'

const on = { profile: { thinkTags: true } }
const read = (pieces: readonly string[], reading = on) =>
  stream([...pieces.map((content) => delta({ content })), finish('stop'), DONE], reading)

describe('case 95: <think> tags', () => {
  const whole = '<think>secret</think>Answer a < b'

  it.each([
    ['split', ['<thi', 'nk>secret</th', 'ink>Answer a < b']],
    ['char by char', [...whole]],
    ['whole', [whole]],
  ])('%s', async (_title, pieces) => {
    const { message, deltas } = await read(pieces)
    expect(message).toEqual({ role: 'assistant', content: 'Answer a < b', reasoning: 'secret' })
    expect([shown(deltas, 'text'), shown(deltas, 'reasoning')]).toEqual(['Answer a < b', 'secret'])
  })

  it.each([
    ['an orphan closing tag', 'a</think>b', 'ab', undefined],
    ['an unclosed tag', '<think>all of it', '', 'all of it'],
    [
      'a tag in a code block of the answer',
      '<think>r</think>\n\nUse `<think>` and `</think>`.',
      'Use `<think>` and `</think>`.',
      'r',
    ],
    [
      'a tag in code without reasoning',
      'Use `</think>` here <think>x</think>',
      'Use `</think>` here <think>x</think>',
      undefined,
    ],
    ['white space before it', '\n <think>r</think>x', 'x', 'r'],
    ['a beginning that is no tag', '<thin ice', '<thin ice', undefined],
    ['an end that may be a tag', 'a </thi', 'a </thi', undefined],
    ['an unclosed end that may be a tag', '<think>r</thi', '', 'r</thi'],
  ])('%s', async (_title, text, content, reasoning) => {
    for (const reply of [await read([...text]), await read([text]), await unstreamed({ content: text }, 'stop', on)]) {
      expect(reply.message.content).toBe(content)
      expect(reply.message.reasoning).toBe(reasoning)
    }
  })

  it('holds back only what may be a tag', async () => {
    const { deltas } = await read(['x', ' a <', ' b'])
    expect(deltas.map((one) => ('text' in one ? one.text : ''))).toEqual(['x', ' a ', '< b'])
  })

  it('are text unless the profile says otherwise', async () => {
    expect((await read([whole], { profile: { thinkTags: false } })).message.content).toBe(whole)
  })
})
