import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolError } from '../../src/errors.js'
import { errorText } from '../../src/tools/error-text.js'

const NEUTRAL = 'The tool failed.'

test('case 127: the message alone, without stack and cause', () => {
  const error = new Error('connect failed', { cause: new Error('inner') })
  expect(errorText(error)).toBe('connect failed')
  expect(errorText(new Error(`boom\n    at run (/app/src/a.js:3:7)\n    at b (x.js:1:1)`))).toBe('boom')
})

test('case 127: expose: false is neutral, as in Koa', () => {
  expect(errorText(new ToolError('postgres://u:p4ss@db', { expose: false }))).toBe(NEUTRAL)
  expect(errorText(Object.assign(new Error('secret'), { expose: false }))).toBe(NEUTRAL)
  expect(errorText({ message: 'secret', expose: false })).toBe(NEUTRAL)
})

test.each([
  ['a string', 'no seats', 'no seats'],
  ['an empty string', '', NEUTRAL],
  ['undefined', undefined, NEUTRAL],
  ['null', null, NEUTRAL],
  ['a number', 42, 'The tool failed: 42'],
  ['a symbol', Symbol('s'), 'The tool failed: Symbol(s)'],
  ['an object without message', { code: 1 }, NEUTRAL],
  ['an object with a message', { message: 'no' }, 'no'],
  ['an Error without message', new Error(), NEUTRAL],
  ['an Error whose name says more', new DOMException('', 'QuotaExceededError'), 'QuotaExceededError'],
  ['an object with a text of its own', { toString: () => 'own text' }, 'own text'],
  [
    'a hostile object',
    {
      get message(): string {
        throw new Error('no')
      },
    },
    NEUTRAL,
  ],
])('case 127: what was thrown was %s', (_name, error, text) => {
  expect(errorText(error)).toBe(text)
})

test('never throws, never says undefined or [object Object]', () => {
  fc.assert(
    fc.property(fc.anything(), (error) => {
      const text = errorText(error)
      expect(text).not.toBe('')
      expect(text).not.toBe('undefined')
      if (typeof error !== 'string') expect(text).not.toBe('[object Object]')
    }),
  )
})
