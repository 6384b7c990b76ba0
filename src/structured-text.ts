/** How many places a value is looked for at, so that a text of brackets costs no more than a few passes. */
const MAX_TRIES = 50

/**
 * The JSON values that a text may mean, the likeliest first: the whole text; else the objects in it, in order, whatever
 * stands around them (prose, code fences); else the arrays. Models of servers that ignore the response format answer
 * so. Empty if there is none. Nothing is repaired: cut JSON is no value. The caller takes the first that fits its
 * schema.
 */
export function jsonValuesIn(text: string): readonly unknown[] {
  const whole = parsed(text)
  if (whole) return [whole.value]
  const objects = valuesFrom(text, '{')
  return objects.length > 0 ? objects : valuesFrom(text, '[')
}

function valuesFrom(text: string, bracket: '{' | '['): unknown[] {
  const values: unknown[] = []
  let at = text.indexOf(bracket)
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries += 1) {
    const end = endOf(text, at)
    const found = end < 0 ? undefined : parsed(text.slice(at, end))
    if (found) values.push(found.value)
    at = text.indexOf(bracket, found ? end : at + 1)
  }
  return values
}

/** The index behind the bracket that closes the one at `start`; -1 if none does. Brackets in strings do not count. */
function endOf(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let index = start; index < text.length; index += 1) {
    const char = text[index]
    if (inString) {
      if (char === '\\') index += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return -1
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
