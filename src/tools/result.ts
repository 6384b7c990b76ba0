import { type Command, type Goto, isCommand } from '../command.js'
import { got } from '../errors.js'
import { isMessage, type Message, type Part, type ToolMessage } from '../messages.js'
import { isError, isPlainJson, jsonText, messageOf, NEUTRAL, ownJson, plainOf, shortForm } from './json-text.js'

/** What a tool's body made, normalised: the parts of its tool message, and what it wants of the state and the route. */
export interface ToolOutcome {
  readonly content: string | Part[]
  readonly status: NonNullable<ToolMessage['status']>
  readonly artifact?: unknown
  /** In order. Messages other than the answer itself are in here, under `messages`. */
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  readonly goto?: Goto
  readonly stopReason?: 'limit' | 'goto'
}

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

/** What {@link toResult} reads of a tool. */
export interface ResultShape {
  readonly name: string
  readonly responseFormat: 'content' | 'content_and_artifact'
}

/**
 * Normalises what a tool returned: a value, a pair of content and artifact, a ready tool message, a command or an array
 * of commands. Several tool messages in a command are one answer. Never throws: what is not allowed is an error result.
 */
export function toResult(value: unknown, tool: ResultShape): ToolOutcome {
  if (typeof value === 'string' && tool.responseFormat === 'content') return { content: value, status: 'success' }
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

/** Tells whether a value is a ready tool message. */
export const isToolMessage = (value: unknown): value is ToolMessage => isMessage(value) && value.role === 'tool'

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

/**
 * The text of an error result for what a tool threw: the message alone, without stack and cause. `expose: false` on the
 * error gives a neutral sentence, as in Koa, and so does a value that says nothing. Never throws.
 */
export function errorText(error: unknown): string {
  try {
    if (typeof error === 'string') return error.trim() === '' ? NEUTRAL : error
    if (error === undefined || error === null) return NEUTRAL
    if (typeof error !== 'object') return `The tool failed: ${toContent(error)}`
    const text = messageOf(error as { message?: unknown; name?: unknown })
    if (text !== '' && text !== 'Error') return text
    // A text of its own, not `[object Object]`.
    const own: unknown = String(error)
    return typeof own === 'string' && own !== '' && !own.startsWith('[object ') && !isError(error) ? own : NEUTRAL
  } catch {
    return NEUTRAL
  }
}
