import { describe, expect, test } from 'vitest'
import { command } from '../../src/command.js'
import { removeMessages } from '../../src/message-list.js'
import { toolMessage, user } from '../../src/messages.js'
import { resultOf } from '../../src/tools/result-values.js'

const plain = { name: 'work', responseFormat: 'content' } as const
const paired = { name: 'work', responseFormat: 'content_and_artifact' } as const

describe('a result', () => {
  test('L11: a command with its message', () => {
    const value = command({ update: { user_name: 'Ann' }, messages: [toolMessage('saved')] })
    expect(resultOf(value, plain)).toEqual({ content: 'saved', status: 'success', updates: [{ user_name: 'Ann' }] })
  })

  test('L12: a command without a message is answered with nothing', () => {
    expect(resultOf(command({ update: { a: 1 } }), plain)).toEqual({
      content: '',
      status: 'success',
      updates: [{ a: 1 }],
    })
    expect(resultOf(command({}), plain)).toEqual({ content: '', status: 'success' })
  })

  test('the message of a command may stand in its update, and others stay an update', () => {
    const value = command({ update: { messages: [toolMessage('done', { status: 'error' }), user('next')], a: 1 } })
    expect(resultOf(value, plain)).toEqual({
      content: 'done',
      status: 'error',
      updates: [{ a: 1 }, { messages: [user('next')] }],
    })
  })

  test('a change of the message list is left as it is', () => {
    const change = removeMessages(['m1'])
    const value = command({ update: { messages: change as never }, messages: [toolMessage('gone'), user('x')] })
    expect(resultOf(value, plain)).toEqual({
      content: 'gone',
      status: 'success',
      updates: [{ messages: change }, { messages: [user('x')] }],
    })
  })

  test('L29: an array of commands is one, in order; the strongest goto counts', () => {
    const value = [
      command({ update: { a: 1 }, goto: 'model', messages: [toolMessage('one')] }),
      command({ update: { a: 2 }, goto: 'end', stopReason: 'limit', messages: [toolMessage('two')] }),
    ]
    expect(resultOf(value, plain)).toEqual({
      content: 'one\n\ntwo',
      status: 'success',
      updates: [{ a: 1 }, { a: 2 }],
      goto: 'end',
      stopReason: 'limit',
    })
  })

  test('a command mixed with other values is an error result', () => {
    expect(resultOf([command({}), 1], plain)).toMatchObject({
      status: 'error',
      content: expect.stringContaining('"work" returned commands mixed with other values'),
    })
  })

  test('a ready tool message gives content, status and artifact', () => {
    const value = toolMessage([{ type: 'text', text: 'x' }], { status: 'error', artifact: 5 })
    expect(resultOf({ ...value, tool_call_id: 'a sibling' }, plain)).toEqual({
      content: [{ type: 'text', text: 'x' }],
      status: 'error',
      artifact: 5,
    })
  })

  test('L30: content and artifact', () => {
    expect(resultOf([{ a: 1 }, { raw: true }], paired)).toEqual({
      content: '{"a":1}',
      status: 'success',
      artifact: { raw: true },
    })
  })

  test.each([['text'], [['one']], [[1, 2, 3]], [undefined], [{ 0: 'a', 1: 'b' }]])('L30: %j is no pair', (value) => {
    expect(resultOf(value, paired)).toMatchObject({
      status: 'error',
      content: expect.stringContaining('must return a pair [content, artifact]'),
    })
  })

  test('a returned Error is a value', () => {
    expect(resultOf(new Error('not found'), plain)).toEqual({ content: 'not found', status: 'success' })
  })
})
