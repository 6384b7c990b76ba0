import { describe, expect, it } from 'vitest'
import { calls, DONE, delta, finish } from '../fixtures/sse.js'
import { callsIn, shown, stream, unstreamed } from './play.js'

const oneCall = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }

describe('a reply', () => {
  it.each(['stop', null, 'function_call', 'eos', 'tool_calls'])(
    'case 83: finish_reason %s beside calls',
    async (reason) => {
      for (const reply of [
        await unstreamed({ content: null, tool_calls: [oneCall] }, reason),
        await stream([calls({ index: 0, ...oneCall }), finish(reason), DONE]),
      ]) {
        expect(callsIn(reply)).toEqual(['f({})'])
        expect(reply.finishReason).toBe('tool_calls')
      }
    },
  )

  it('case 83: finish_reason tool_calls without any call is a normal answer', async () => {
    for (const tool_calls of [undefined, null, []]) {
      const reply = await unstreamed({ content: '', tool_calls }, 'tool_calls')
      expect(reply).toEqual({ message: { role: 'assistant', content: '' }, finishReason: 'stop' })
    }
    expect((await stream([delta({ content: 'x' }), finish('tool_calls'), DONE])).finishReason).toBe('stop')
  })

  it('case 89: empty or missing choices, missing delta', async () => {
    const events = [
      { choices: [] },
      { choices: [{ index: 0, finish_reason: null }] },
      {},
      null,
      7,
      { choices: null },
      { choices: [null] },
      delta({ content: 'Hi' }),
      finish('stop'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } },
      DONE,
    ]
    const reply = await stream(events)
    expect(reply.message).toEqual({ role: 'assistant', content: 'Hi' })
    expect(reply.usage).toEqual({ requests: 1, input: 3, output: 1 })
  })

  it('case 90: usage is cumulative: the last one counts, none is unknown', async () => {
    const used = (completion_tokens: number) => ({ usage: { prompt_tokens: 10, completion_tokens } })
    const totals = [1, 2, 3].map((count) => ({ ...delta({ content: 'x' }), ...used(count) }))
    expect((await stream([...totals, finish('stop'), { choices: [], ...used(3) }, DONE])).usage).toMatchObject({
      input: 10,
      output: 3,
    })
    expect((await stream([delta({ content: 'x' }), finish('stop', used(3)), DONE])).usage).toMatchObject({ output: 3 })
    expect((await stream([delta({ content: 'x' }), finish('stop'), DONE])).usage).toBeUndefined()
    expect((await stream([delta({ content: 'x' }), finish('stop', { usage: null }), DONE])).usage).toBeUndefined()
  })

  it('case 91: a blank finish_reason ends nothing, and text may follow a real one', async () => {
    const blank = (fields: Record<string, unknown>) => delta(fields, '')
    const reply = await stream([
      blank({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
      blank({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      finish('tool_calls'),
      DONE,
    ])
    expect(callsIn(reply)).toEqual(['f({"x":1})'])
    expect(
      (await stream([delta({ content: 'a' }), finish('stop'), delta({ content: 'b' }), DONE])).message.content,
    ).toBe('ab')
  })

  it('reads a whole message in place of deltas, and JSON in place of a stream', async () => {
    const whole = {
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi', tool_calls: [oneCall] }, finish_reason: 'stop' },
      ],
    }
    const reply = await stream([whole, DONE])
    expect(reply.message.content).toBe('Hi')
    expect(callsIn(reply)).toEqual(['f({})'])
    expect(shown(reply.deltas, 'text')).toBe('Hi')
  })

  it.each([
    [{ reasoning_content: 'r' }, {}],
    [{ reasoning: 'r' }, {}],
    [{ reasoning: 'r', reasoning_content: 'r' }, {}],
    [
      { reasoning_details: [{ type: 'reasoning.text', text: 'r' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'r' }] },
    ],
    [
      { reasoning: 'r', reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
    ],
  ])('case 96: reasoning in %j is captured once, beside the text', async (fields, kept) => {
    const right = { role: 'assistant', content: 'a', reasoning: 'r', ...kept }
    expect((await unstreamed({ role: 'assistant', content: 'a', ...fields })).message).toEqual(right)
    const streamed = await stream([delta(fields), delta({ content: 'a' }), finish('stop'), DONE])
    expect(streamed.message).toEqual(right)
    expect([shown(streamed.deltas, 'reasoning'), shown(streamed.deltas, 'text')]).toEqual(['r', 'a'])
  })

  it('case 96: unknown fields are kept for the next request', async () => {
    const extra = { provider_specific_fields: { a: [1] }, annotations: [{ type: 'url_citation' }] }
    expect((await unstreamed({ content: 'a', ...extra })).message).toMatchObject(extra)
    expect((await stream([delta({ content: 'a', ...extra }), finish('stop'), DONE])).message).toMatchObject(extra)
  })

  it('keeps own fields of Cepa out of what a provider sends', async () => {
    const { message } = await unstreamed({
      content: 'a',
      id: 'x',
      metadata: { a: 1 },
      status: 's',
      artifact: 1,
      role: 'user',
    })
    expect(message).toEqual({ role: 'assistant', content: 'a' })
  })

  it('reads a refusal and a length', async () => {
    expect(await unstreamed({ content: null, refusal: 'no' })).toEqual({
      message: { role: 'assistant', content: '', refusal: 'no' },
      finishReason: 'refusal',
    })
    expect((await unstreamed({ content: 'a' }, 'length')).finishReason).toBe('length')
    expect((await unstreamed({ content: 'a' }, 'content_filter')).finishReason).toBe('content_filter')
    expect((await unstreamed({ content: 'a' }, 'something new')).finishReason).toBe('other')
  })
})
