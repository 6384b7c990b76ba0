import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAgentError, ToolInputError } from '../../src/errors.js'
import { parseArguments } from '../../src/tools/arguments.js'

const argsOf = (text: unknown): unknown => {
  const parsed = parseArguments(text)
  if ('error' in parsed) throw parsed.error
  return parsed.args
}

describe('arguments', () => {
  test.each([
    ['""', ''],
    ['blank', ' \n'],
    ['undefined', undefined],
    ['null', null],
    ['the text null', 'null'],
  ])('case 27: %s counts as {}', (_name, text) => {
    expect(argsOf(text)).toEqual({})
  })

  test('case 28: an object is taken as it is', () => {
    const args = { n: 2 }
    expect(argsOf(args)).toBe(args)
  })

  test('case 28: a text in the text is unwrapped once, and only to an object', () => {
    const once = JSON.stringify('{"n":2}')
    expect(argsOf(once)).toEqual({ n: 2 })
    for (const text of [JSON.stringify(once), '"[1]"', '"5"', '"null"', '"x"', '""']) {
      expect(() => argsOf(text)).toThrow(ToolInputError)
    }
  })

  test.each(['5', '"x"', '[1]', 'true', 'false'])('case 29: %s is a misfit, never spread', (text) => {
    expect(() => argsOf(text)).toThrow(/expected an object, got /)
    expect(() => argsOf(JSON.parse(text))).toThrow(ToolInputError)
  })

  test.each(['{"a":1', '{"a":', '{a:1}', '{"a":1}}', "{'a':1}", '```json\n{}\n```', '{"a":1,}'])(
    'incomplete or broken JSON is never repaired: %s',
    (text) => {
      const parsed = parseArguments(text)
      expect(parsed).toHaveProperty('error')
      if (!('error' in parsed)) return
      expect(parsed.error.code).toBe('TOOL_INPUT')
      expect(parsed.error.message).toMatch(/not complete JSON, so nothing was executed/)
    },
  )

  test('case 128: an own __proto__ key stays data', () => {
    const args = argsOf('{"__proto__":{"x":1}}') as Record<string, unknown>
    expect(Object.hasOwn(args, '__proto__')).toBe(true)
    expect(args.x).toBeUndefined()
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('anything gives an object or an error that the model can read', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.anything(),
          fc.json().map((text) => JSON.stringify(text)),
        ),
        (text) => {
          const parsed = parseArguments(text)
          if ('error' in parsed) expect(isAgentError(parsed.error) && parsed.error.message !== '').toBe(true)
          else {
            expect(typeof parsed.args === 'object' && parsed.args !== null && !Array.isArray(parsed.args)).toBe(true)
          }
        },
      ),
    )
  })
})
