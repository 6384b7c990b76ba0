import { schemaError } from './json-schema.js'

/**
 * Makes a pattern one that compiles with the flag `u`, with which patterns are checked: that flag refuses escapes,
 * dashes and brackets that plain expressions allow.
 *
 * @throws {ConfigError} where the pattern is no regular expression of JavaScript.
 */
export function unicodePattern(pattern: string, subject: string): string {
  if (compiles(pattern, 'u')) return pattern
  const strict = rewritten(pattern)
  if (compiles(pattern, '') && compiles(strict, 'u')) return strict
  throw schemaError(
    subject,
    `has the pattern ${JSON.stringify(pattern)}: expected a regular expression of JavaScript that compiles with the flag "u"`,
  )
}

const CLASS_ESCAPE = /^\\[dDsSwW]/
const QUANTIFIER = /^\{\d+(?:,\d*)?\}/

function rewritten(pattern: string): string {
  let out = ''
  let inClass = false
  let afterClassEscape = false
  for (let index = 0; index < pattern.length; index++) {
    const rest = pattern.slice(index)
    const wasClassEscape = afterClassEscape
    afterClassEscape = CLASS_ESCAPE.test(rest)
    const [char = '', next = ''] = rest
    if (char === '\\') {
      const isEscape = /[a-zA-Z0-9^$\\.*+?()[\]{}|/]/.test(next) || (next === '-' && inClass)
      out += isEscape ? char + next : next
      index += next.length
    } else if (inClass) {
      const isPlainDash = char === '-' && (wasClassEscape || CLASS_ESCAPE.test(rest.slice(1)))
      out += isPlainDash ? '\\-' : char
      inClass = char !== ']'
    } else {
      const quantifier = QUANTIFIER.exec(rest)?.[0]
      if (quantifier !== undefined) index += quantifier.length - 1
      inClass = char === '['
      out += quantifier ?? (/[\]{}]/.test(char) ? `\\${char}` : char)
    }
  }
  return out
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags)
    return true
  } catch {
    return false
  }
}
