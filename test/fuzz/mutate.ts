import type { Random } from './random.js'

/** Pieces of protocol that a mutation puts where they do not belong. */
const TOKENS = [
  'data: [DONE]\n\n',
  'data: {"error":{"message":"x"}}\n\n',
  'data: {}\n\n',
  'data: null\n\n',
  'data: 7\n\n',
  'data: []\n\n',
  ': comment\n\n',
  'event: error\n',
  'event: thread.x\n',
  'data:',
  'retry: 5\n',
  '\n\n',
  '\r',
  '\r\n\r\n',
  '\uFEFF',
  '\u2028',
  '"index":0,',
  '"index":-1,',
  '"index":"x",',
  '"id":null,',
  '"id":"",',
  '"finish_reason":"error"',
  '"tool_calls":{}',
  '"tool_calls":[null,1]',
  '"__proto__":{"x":1},',
  '"delta":null,',
  '"arguments":{"a":1}',
  '<think>',
  '</think>',
  '\\ud83d',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
]

/** A stream with one to four changes: bytes flipped, cut out, doubled, moved, or tokens put in. */
export function mutate(text: string, other: string, random: Random): Uint8Array {
  let bytes = encode(text)
  for (let changes = 1 + random(4); changes > 0; changes -= 1) bytes = change(bytes, other, random)
  return bytes
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function change(bytes: Uint8Array, other: string, random: Random): Uint8Array {
  const at = random(bytes.length + 1)
  const end = Math.min(bytes.length, at + random(40))
  switch (random(9)) {
    case 0:
      return bytes.map((byte, index) => (index === at ? random(256) : byte))
    case 1:
      return bytes.subarray(0, at)
    case 2:
      return join(bytes.subarray(0, at), bytes.subarray(end))
    case 3:
      return join(bytes.subarray(0, end), bytes.subarray(at))
    case 4:
      return join(bytes.subarray(end), bytes.subarray(0, end))
    case 5:
      return encode(swapEvents(new TextDecoder().decode(bytes), random))
    case 6:
      return encode(new TextDecoder().decode(bytes).replaceAll('\n', random(2) === 0 ? '\r\n' : '\r'))
    case 7:
      return join(bytes.subarray(0, at), encode(other).subarray(random(other.length)))
    default:
      return join(bytes.subarray(0, at), encode(TOKENS[random(TOKENS.length)]!), bytes.subarray(at))
  }
}

function swapEvents(text: string, random: Random): string {
  const events = text.split('\n\n')
  const from = random(events.length)
  const [taken] = events.splice(from, 1)
  if (random(3) > 0) events.splice(random(events.length + 1), 0, taken!)
  return events.join('\n\n')
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    result.set(part, at)
    at += part.length
  }
  return result
}

/** The bytes in one to five pieces. */
export function pieces(bytes: Uint8Array, random: Random): Uint8Array[] {
  const cuts = Array.from({ length: random(5) }, () => random(bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
}
