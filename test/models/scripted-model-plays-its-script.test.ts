import { describe, expect, it } from 'vitest'
import { ModelError } from '../../src/errors.js'
import { reply } from '../../src/models/model.js'
import { scriptedModel, toolCall } from '../../src/models/scripted.js'
import { listening, modelCall } from './call.js'

describe('scriptedModel', () => {
  it('answers in order, records its calls, and says what is left over', async () => {
    const model = scriptedModel([
      'one',
      { toolCalls: [toolCall('f', { n: 1 }), toolCall('g', '{"cut', 'x')] },
      reply('r'),
    ])
    const first = await model.generate(modelCall({ systemPrompt: 'S' }))
    expect(first).toEqual({
      message: { role: 'assistant', content: 'one' },
      finishReason: 'stop',
      usage: { requests: 1 },
    })
    expect(() => model.done()).toThrow(/all 3 replies/)
    const second = await model.generate(modelCall())
    expect(second.finishReason).toBe('tool_calls')
    expect(second.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
        { id: 'x', type: 'function', function: { name: 'g', arguments: '{"cut' } },
      ],
    })
    expect(await model.generate(modelCall())).toEqual(reply('r'))
    model.done()
    expect(model.calls.map((call) => call.systemPrompt)).toEqual(['S', '', ''])
    await expect(model.generate(modelCall())).rejects.toThrow(ModelError)
  })

  it('shows the same reply in pieces when it is streamed', async () => {
    const parts = {
      text: 'Hello 北京 😀 there',
      reasoning: 'because',
      toolCalls: [toolCall('f', { long: 'argument' }, 'c1')],
    }
    const plain = await scriptedModel([parts]).generate(modelCall())
    const { call, deltas } = listening()
    expect(await scriptedModel([parts]).generate(call)).toEqual(plain)
    const shown = (type: string) =>
      deltas.map((delta) => (delta.type === type && 'text' in delta ? delta.text : '')).join('')
    expect([shown('text'), shown('reasoning'), shown('tool-args')]).toEqual([
      parts.text,
      'because',
      '{"long":"argument"}',
    ])
    expect(deltas.length).toBeGreaterThan(6)
  })

  it('throws what it is given, before or after deltas', async () => {
    const error = new RangeError('no')
    await expect(scriptedModel([error]).generate(modelCall())).rejects.toBe(error)
    const { call, deltas } = listening()
    await expect(scriptedModel([{ deltas: ['a', 'b'], error: 7 }]).generate(call)).rejects.toBe(7)
    expect(deltas).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('takes functions, one for each call or one for all', async () => {
    const model = scriptedModel((call, index) => `${index}:${call.messages.length}`)
    expect((await model.generate(modelCall())).message.content).toBe('0:1')
    expect((await model.generate(modelCall())).message.content).toBe('1:1')
    model.done()
    const list = scriptedModel([async (_call, index) => ({ text: `n${index}` })])
    expect((await list.generate(modelCall())).message.content).toBe('n0')
  })

  it('ends a delay with the reason of the signal', async () => {
    const controller = new AbortController()
    const pending = scriptedModel([{ text: 'late', delayMs: 60_000 }]).generate(
      modelCall({ signal: controller.signal }),
    )
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
  })
})
