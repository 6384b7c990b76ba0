import { describe, expect, it } from 'vitest'
import { jsonValuesIn } from '../../src/structured-text.js'

describe('case 109: JSON in a text', () => {
  it.each<[string, string, unknown[]]>([
    ['plain', ' {"a":1} ', [{ a: 1 }]],
    ['fenced', '```json\n{"a":1}\n```', [{ a: 1 }]],
    ['in prose', 'Here: {"a":1} ok?', [{ a: 1 }]],
    ['with trailing text', '{"a":{"b":"}"}}\nDone.', [{ a: { b: '}' } }]],
    ['two fences', '```json\n{"a":1}\n```\nor\n```json\n{"a":2}\n```', [{ a: 1 }, { a: 2 }]],
    ['a fence inside a value', 'Here: {"code":"```js\\nf({x})\\n```"} ok?', [{ code: '```js\nf({x})\n```' }]],
    ['braces in the prose', 'Use {curly} and {"a":1}', [{ a: 1 }]],
    ['an unclosed brace before', 'a { b, "x and {"a":1}', [{ a: 1 }]],
    ['an array', 'List: [1,2]', [[1, 2]]],
    ['a footnote and an object', 'As in [1]: {"a":[2]}', [{ a: [2] }]],
    ['a bare value', '"text"', ['text']],
    ['nothing', '', []],
    ['prose', 'I cannot.', []],
    ['cut', '{"a":1', []],
  ])('%s', (_title, text, values) => {
    expect(jsonValuesIn(text)).toEqual(values)
  })

  it('costs little for a text of brackets', () => {
    const before = performance.now()
    expect(jsonValuesIn('{['.repeat(200_000))).toEqual([])
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
