import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toContent } from '../../src/tools/result-values.js'

class Point {
  x = 1
  y = 2
  #hidden = 3
  norm(): number {
    return this.#hidden
  }
}
const cyclic: Record<string, unknown> = { a: 1 }
cyclic.self = cyclic
const shared = { s: 1 }
const parts = [
  { type: 'text', text: 'hi' },
  { type: 'image_url', image_url: { url: 'data:,' } },
]
const throwing = {
  a: 1,
  toJSON() {
    throw new Error('no')
  },
}

const table: readonly (readonly [string, unknown, unknown])[] = [
  ['A11: a string', 'hi', 'hi'],
  ['a string of quotes and blanks', ' "a"\n', ' "a"\n'],
  ['an empty string', '', ''],
  ['A12: undefined', undefined, ''],
  ['A12: null', null, ''],
  ['A15: zero', 0, '0'],
  ['A15: false', false, 'false'],
  ['a number', 1.5, '1.5'],
  ['NaN', Number.NaN, 'NaN'],
  ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
  ['-Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
  ['NaN inside', { n: Number.NaN }, '{"n":null}'],
  ['case 32: a bigint', 2n ** 60n, '1152921504606846976'],
  ['case 32: a bigint inside', { n: [1n] }, '{"n":["1"]}'],
  ['A15: a plain object', { a: 1 }, '{"a":1}'],
  ['non-ASCII', { a: 'é✓' }, '{"a":"é✓"}'],
  ['undefined inside', { a: undefined, b: [undefined] }, '{"b":[null]}'],
  ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['a class instance', new Point(), '{"x":1,"y":2}'],
  ['A13: an array', [5, 3, 10], '[5,3,10]'],
  ['A13: an empty array', [], '[]'],
  ['A14: content parts', parts, parts],
  ['A14: a stranger among parts', [...parts, { type: 'dog' }], JSON.stringify([...parts, { type: 'dog' }])],
  ['A14: a part without payload', [{ type: 'text' }], '[{"type":"text"}]'],
  ['A14: a part with a foreign payload', [{ type: 'text', image_url: 'x' }], '[{"type":"text","image_url":"x"}]'],
  ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid Date', new Date(Number.NaN), 'Invalid Date'],
  ['a Date inside', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ['a URL', new URL('https://a.example/b'), 'https://a.example/b'],
  ['A16: toJSON to an object', { toJSON: () => ({ b: 2 }) }, '{"b":2}'],
  ['A16: toJSON to text', { toJSON: () => 'text' }, 'text'],
  ['A16: toJSON to parts', { toJSON: () => parts }, parts],
  ['A16: toJSON to nothing', { toJSON: () => undefined }, ''],
  ['toJSON that throws', throwing, '{"a":1}'],
  ['toJSON that throws, inside', { in: throwing }, '{"in":{"a":1}}'],
  ['case 33: a Map of text keys', new Map([['a', 1]]), '{"a":1}'],
  [
    'a Map of other keys',
    new Map<unknown, unknown>([
      [1, 'a'],
      ['b', 2],
    ]),
    '[[1,"a"],["b",2]]',
  ],
  ['case 33: a Set', new Set([1, 2]), '[1,2]'],
  ['case 33: a returned Error', new TypeError('x'), 'x'],
  ['an Error inside', { error: new Error('x') }, '{"error":"x"}'],
  ['bytes', new Uint8Array(3), '[Uint8Array of 3 bytes]'],
  ['a Buffer', Buffer.from('abc'), '[Uint8Array of 3 bytes]'],
  ['an ArrayBuffer', new ArrayBuffer(8), '[ArrayBuffer of 8 bytes]'],
  ['a Blob', new Blob(['abc'], { type: 'image/png' }), '[Blob image/png of 3 bytes]'],
  ['bytes inside', { file: new Uint8Array(2) }, '{"file":"[Uint8Array of 2 bytes]"}'],
  ['case 33: a function', function go() {}, '[function go]'],
  ['case 33: a symbol', Symbol('s'), 'Symbol(s)'],
  ['functions inside', { go() {}, list: [Symbol('s')] }, '{"list":["Symbol(s)"]}'],
  ['case 33: a cycle', cyclic, '{"a":1,"self":"[Circular]"}'],
  ['a shared object', { a: shared, b: shared }, '{"a":{"s":1},"b":{"s":1}}'],
  ['a boxed string', Object('x'), 'x'],
  ['a regular expression', /a/g, '/a/g'],
  ['an own __proto__ key', JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
]

describe('the content of a result', () => {
  test.each(table)('%s', (_name, value, content) => {
    expect(toContent(value)).toEqual(content)
  })

  test('what cannot be read is a marker in its place', () => {
    const hostile = {
      a: 1,
      get b(): never {
        throw new Error('no')
      },
    }
    expect(toContent(hostile)).toBe('{"a":1,"b":"[unreadable]"}')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(toContent({ proxy })).toBe('{"proxy":"[unreadable]"}')
    expect(typeof toContent(proxy)).toBe('string')
  })

  test('depth and unfolding have a bound', () => {
    let deep: unknown = 1
    for (let index = 0; index < 100_000; index++) deep = [deep]
    expect(toContent(deep)).toContain('[too deep]')
    let wide: unknown = 1
    for (let index = 0; index < 60; index++) wide = { a: wide, b: wide }
    expect(typeof toContent(wide)).toBe('string')
    const endless = { toJSON: () => ({ ...endless }) }
    expect(typeof toContent(endless)).toBe('string')
  })

  test('never throws, and gives text or parts', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withBoxedValues: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        const content = toContent(value)
        if (typeof content === 'string') return
        expect(content.every((part) => typeof part.type === 'string')).toBe(true)
        expect(() => JSON.stringify(content)).not.toThrow()
      }),
    )
  })
})
