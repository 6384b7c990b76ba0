import { type Command, type Goto, isCommand } from '../command.js'
import { got } from '../errors.js'
import type { Message, Part, ToolMessage } from '../messages.js'
import { isError, messageOf } from './error-text.js'
import { jsonText, ownJson, plainOf, shortForm } from './json-text.js'
import { isPlainJson } from './plain-json.js'
import { isToolMessage, type ResultShape, type ToolOutcome } from './result.js'

// Loaded with the first value of a tool that is neither a text nor a plain record.

/** The payload key of each known type of content part, in the OpenAI chat format. */
const PAYLOADS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['image_url', 'image_url'],
  ['input_audio', 'input_audio'],
  ['file', 'file'],
  ['refusal', 'refusal'],
])

/**
 * The content of a tool message for any value: strings as they are, nothing as `''`, a non-empty array of known content
 * parts as parts, everything else as JSON text or a short form. Bytes, functions and cycles become markers; objects
 * keep what JSON keeps, an array keeps all places. Never throws.
 */
export function toContent(value: unknown): string | Part[] {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  try {
    return fromObject(value, 0)
  } catch {
    return jsonText(value)
  }
}

function fromObject(value: object | symbol, depth: number): string | Part[] {
  if (Array.isArray(value)) {
    if (!isParts(value)) return jsonText(value)
    return isPlainJson(value) ? value : (plainOf(value) as Part[])
  }
  if (isPlainJson(value)) return JSON.stringify(value)
  if (isError(value)) return messageOf(value)
  const short = shortForm(value)
  if (short !== undefined || typeof value === 'symbol') return short ?? ''
  const own = ownJson(value)
  if (own === undefined || depth > 20) return unboxed(value)
  const { json } = own
  return typeof json === 'object' && json !== null ? fromObject(json, depth + 1) : toContent(json)
}

/** A boxed text has no quotes, like any text. */
function unboxed(value: object): string {
  const plain = plainOf(value)
  return typeof plain === 'string' ? plain : jsonText(plain)
}

function isParts(value: unknown[]): value is Part[] {
  if (value.length === 0) return false
  // `every` alone would pass over holes.
  return Array.from(value).every((item: unknown) => {
    if (typeof item !== 'object' || item === null) return false
    const { type } = item as Record<string, unknown>
    const key = PAYLOADS.get(type)
    if (key === undefined) return false
    const payload = (item as Record<string, unknown>)[key]
    return key === 'text' || key === 'refusal' ? typeof payload === 'string' : payload !== undefined && payload !== null
  })
}

/** Normalises any value. Never throws. */
export function resultOf(value: unknown, tool: ResultShape): ToolOutcome {
  try {
    return normalised(value, tool)
  } catch {
    return { content: toContent(value), status: 'success' }
  }
}

function normalised(value: unknown, tool: ResultShape): ToolOutcome {
  if (isCommand(value)) return fromCommands([value])
  if (isToolMessage(value)) return fromMessages([value])
  if (Array.isArray(value) && value.some(isCommand)) {
    if (Array.from(value).every(isCommand)) return fromCommands(value)
    return failed(`The tool "${tool.name}" returned commands mixed with other values; expected commands only.`)
  }
  if (tool.responseFormat === 'content') return { content: toContent(value), status: 'success' }
  if (!Array.isArray(value) || value.length !== 2) {
    return failed(`The tool "${tool.name}" must return a pair [content, artifact], got ${got(value)}.`)
  }
  const [content, artifact] = value as [unknown, unknown]
  return { content: toContent(content), status: 'success', ...(artifact !== undefined && { artifact }) }
}

const failed = (content: string): ToolOutcome => ({ content, status: 'error' })

function fromMessages(messages: readonly ToolMessage[]): ToolOutcome {
  const contents = messages.map(({ content }) => (typeof content === 'string' ? content : (plainOf(content) as Part[])))
  const artifact = messages.findLast((message) => message.artifact !== undefined)?.artifact
  return {
    content: contents.length === 1 ? (contents[0] as string | Part[]) : joined(contents),
    status: messages.map(({ status }) => status).find((status) => status && status !== 'success') ?? 'success',
    ...(artifact !== undefined && { artifact }),
  }
}

function joined(contents: readonly (string | Part[])[]): string | Part[] {
  if (contents.every((content) => typeof content === 'string')) return contents.filter(Boolean).join('\n\n')
  return contents.flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content))
}

const RANK: Readonly<Record<Goto, number>> = { tools: 0, model: 1, end: 2 }

function fromCommands(commands: readonly Command[]): ToolOutcome {
  const answers: ToolMessage[] = []
  const updates: Record<string, unknown>[] = []
  let goto: Goto | undefined
  let stopReason: ToolOutcome['stopReason']
  for (const one of commands) {
    const update = { ...one.update }
    const messages = [...(one.messages ?? [])]
    // LangChain's form: the message stands in the update.
    if (Array.isArray(update.messages)) {
      messages.unshift(...(update.messages as Message[]))
      delete update.messages
    }
    answers.push(...messages.filter(isToolMessage))
    const others = messages.filter((message) => !isToolMessage(message))
    if (Object.keys(update).length > 0) updates.push(update)
    if (others.length > 0) updates.push({ messages: others })
    if (one.goto !== undefined && (goto === undefined || RANK[one.goto] > RANK[goto])) goto = one.goto
    stopReason ??= one.stopReason
  }
  return {
    ...(answers.length > 0 ? fromMessages(answers) : { content: '', status: 'success' as const }),
    ...(updates.length > 0 && { updates }),
    ...(goto !== undefined && { goto }),
    ...(stopReason !== undefined && { stopReason }),
  }
}
