import { type Command, type Goto, isCommand } from '../command.js'
import { isAgentError, ToolError } from '../errors.js'
import type { Message, Part, ToolMessage } from '../messages.js'

/** What a tool's value makes of its call. */
export interface BodyResult {
  readonly content: string | Part[]
  readonly status: 'success' | 'error' | 'denied'
  readonly artifact?: unknown
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  readonly goto?: Goto
}

/** Content parts that a model takes, and the key that holds each one's payload. */
const PARTS: Readonly<Record<string, string>> = {
  text: 'text',
  image_url: 'image_url',
  input_audio: 'input_audio',
  file: 'file',
  refusal: 'refusal',
}

const NEUTRAL = 'The tool failed.'

/**
 * Turns what a tool returned into the result of its call: text as it is, nothing as `''`, content parts kept, commands
 * and ready tool messages taken apart, everything else as JSON. Never throws but for a misuse of
 * `content_and_artifact` or of commands. @throws ToolError
 */
export function toResult(value: unknown, responseFormat: 'content' | 'content_and_artifact' = 'content'): BodyResult {
  if (typeof value === 'string') return { content: value, status: 'success' }
  if (isCommand(value)) return fromCommands([value])
  if (Array.isArray(value) && value.some(isCommand)) {
    if (!value.every(isCommand))
      throw new ToolError('The tool mixed commands with other values; expected commands only.')
    return fromCommands(value)
  }
  if (isToolMessage(value)) return fromMessage(value)
  if (responseFormat === 'content') return { content: toContent(value), status: 'success' }
  if (!Array.isArray(value) || value.length !== 2) {
    throw new ToolError(`The tool promised [content, artifact] and returned something else.`)
  }
  return { content: toContent(value[0]), status: 'success', artifact: value[1] }
}

function fromCommands(commands: readonly Command[]): BodyResult {
  let answer: BodyResult = { content: '', status: 'success' }
  const updates: Record<string, unknown>[] = []
  let goto: Goto | undefined
  for (const command of commands) {
    const others: Message[] = []
    for (const message of command.messages ?? []) {
      if (message.role === 'tool') answer = fromMessage(message)
      else others.push(message)
    }
    const { messages: more, ...values } = (command.update ?? {}) as Record<string, unknown>
    if (Array.isArray(more)) {
      for (const message of more) {
        if (isToolMessage(message)) answer = fromMessage(message)
        else others.push(message)
      }
    } else if (more !== undefined) updates.push({ messages: more })
    if (Object.keys(values).length > 0) updates.push(values)
    if (others.length > 0) updates.push({ messages: others })
    goto = command.goto ?? goto
  }
  return { ...answer, ...(updates.length > 0 && { updates }), ...(goto && { goto }) }
}

const isToolMessage = (value: unknown): value is ToolMessage =>
  typeof value === 'object' &&
  value !== null &&
  (value as ToolMessage).role === 'tool' &&
  'content' in value &&
  'tool_call_id' in value

const fromMessage = ({ content, status = 'success', artifact }: ToolMessage): BodyResult => ({
  content: toContent(content),
  status,
  ...(artifact !== undefined && { artifact }),
})

/** The text, or the content parts, of a value. Never throws. */
export function toContent(value: unknown): string | Part[] {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  try {
    if (Array.isArray(value) && value.length > 0 && value.every(isKnownPart)) return value
    return textOfValue(value)
  } catch {
    return `[${typeof value}]`
  }
}

const isKnownPart = (value: unknown): value is Part => {
  if (typeof value !== 'object' || value === null) return false
  const { type } = value as Part
  const payload = typeof type === 'string' && Object.hasOwn(PARTS, type) ? PARTS[type] : undefined
  return payload !== undefined && (value as Part)[payload] !== undefined
}

function textOfValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'undefined':
      return ''
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'symbol':
      return String(value)
    case 'function':
      return `[function ${value.name || 'anonymous'}]`
  }
  if (value === null) return ''
  if (value instanceof Error) return value.message
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'Invalid Date'
  const binary = binaryMarker(value as object)
  if (binary) return binary
  const converted = byToJson(value as object)
  if (converted !== value) return toText(converted)
  return JSON.stringify(toPlain(value, new Set()))
}

const toText = (value: unknown): string => {
  const content = toContent(value)
  return typeof content === 'string' ? content : JSON.stringify(content)
}

function binaryMarker(value: object): string | undefined {
  if (value instanceof ArrayBuffer) return `[ArrayBuffer of ${value.byteLength} bytes]`
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
  if (typeof Blob !== 'undefined' && value instanceof Blob)
    return `[Blob of ${value.size} bytes${value.type ? `, ${value.type}` : ''}]`
  return undefined
}

/** What `toJSON` gives; the value itself where there is none, or where it throws. */
function byToJson(value: object): unknown {
  try {
    const { toJSON } = value as { toJSON?: unknown }
    return typeof toJSON === 'function' ? toJSON.call(value, '') : value
  } catch {
    return value
  }
}

/** A value that JSON.stringify takes without throwing: cycles marked, bigints as digits, maps and sets spelt out. */
function toPlain(value: unknown, above: Set<object>): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') return textOfValue(value)
  if (typeof value !== 'object' || value === null) return value
  if (above.has(value)) return '[circular]'
  if (value instanceof Error) return value.message
  const binary = binaryMarker(value)
  if (binary) return binary
  above.add(value)
  const plain = plainObject(value, above)
  above.delete(value)
  return plain
}

function plainObject(value: object, above: Set<object>): unknown {
  const converted = byToJson(value)
  if (converted !== value) return toPlain(converted, above)
  if (Array.isArray(value)) return value.map((item) => toPlain(item, above))
  if (value instanceof Set) return [...value].map((item) => toPlain(item, above))
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => [toPlain(key, above), toPlain(item, above)] as const)
    return [...value.keys()].every((key) => typeof key === 'string') ? Object.fromEntries(entries) : entries
  }
  const fields: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    let item: unknown
    try {
      item = (value as Record<string, unknown>)[key]
    } catch {
      item = '[unreadable]'
    }
    if (item !== undefined) fields.push([key, toPlain(item, above)])
  }
  return Object.fromEntries(fields)
}

/** What a model is told of something thrown: its message and no more; `expose: false` hides it, as in Koa. */
export function errorText(error: unknown): string {
  try {
    if (typeof error === 'string') return error || NEUTRAL
    if (typeof error !== 'object' || error === null)
      return error === undefined || error === null ? NEUTRAL : String(error)
    if ((error as { expose?: unknown }).expose === false) return NEUTRAL
    const { message } = error as { message?: unknown }
    return typeof message === 'string' && message !== ''
      ? message
      : isAgentError(error) || error instanceof Error
        ? NEUTRAL
        : toText(error) || NEUTRAL
  } catch {
    return NEUTRAL
  }
}
