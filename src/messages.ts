import { isFrozenDeep, thaw } from './internal/freeze.js'

/** A content part, in the wire's own shape: `{ type: 'text', text }`, `{ type: 'image_url', image_url }`, … */
export type Part = { type: string; [key: string]: unknown }

/** A tool call as it stands in an assistant message; unknown fields are a provider's and are kept verbatim. */
export interface WireToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  [extra: string]: unknown
}

/** Fields of Cepa's own on a message. They never reach a provider. */
interface Own {
  id?: string
  metadata?: Record<string, unknown>
}

export interface SystemMessage extends Own {
  role: 'system'
  content: string | Part[]
}

export interface UserMessage extends Own {
  role: 'user'
  content: string | Part[]
  name?: string
}

export interface AssistantMessage extends Own {
  role: 'assistant'
  content: string | Part[] | null
  tool_calls?: WireToolCall[]
  refusal?: string | null
  [extra: string]: unknown
}

/** The result of a tool call. `status` and `artifact` are Cepa's own and never reach a provider. */
export interface ToolMessage extends Own {
  role: 'tool'
  tool_call_id: string
  content: string | Part[]
  name?: string
  status?: 'success' | 'error' | 'denied'
  artifact?: unknown
}

/** A message of the OpenAI chat format, plus the marked own fields. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** A tool call as people see it: parsed arguments, `undefined` where they are not complete JSON. */
export interface CallView {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/** Makes a user message. */
export const user = (content: string | Part[]): UserMessage => ({ role: 'user', content })

/** Makes an assistant message of text. */
export const assistant = (content: string | Part[]): AssistantMessage => ({ role: 'assistant', content })

/** Makes a system message. */
export const system = (content: string | Part[]): SystemMessage => ({ role: 'system', content })

/**
 * Makes a tool message. The core binds it to the call that it answers, whatever it is returned from.
 * `status` is `'success'` by default.
 */
export function toolMessage(
  content: string | Part[],
  own: { status?: 'success' | 'error' | 'denied'; artifact?: unknown } = {},
): ToolMessage {
  const message: ToolMessage = { role: 'tool', tool_call_id: '', content, status: own.status ?? 'success' }
  if (own.artifact !== undefined) message.artifact = own.artifact
  return message
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

/** Tells whether a value has the outer shape of a message: a known role and a content that its role allows. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  const { role, content, tool_call_id: callId } = value as Record<string, unknown>
  if (!ROLES.has(role)) return false
  if (role === 'tool' && typeof callId !== 'string') return false
  if (role === 'assistant' && (content === null || content === undefined)) return true
  return typeof content === 'string' || (Array.isArray(content) && content.every(isPart))
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && typeof (value as Part).type === 'string'

/** Joins the text parts of a content; other parts are left out. */
export function textOf(content: Message['content'] | undefined): string {
  if (typeof content === 'string') return content
  let text = ''
  for (const part of content ?? []) if (part.type === 'text' && typeof part.text === 'string') text += part.text
  return text
}

/** The tool calls of a message: an empty list for every message that has none. */
export const callsOf = (message: Message | undefined): readonly WireToolCall[] =>
  message?.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls : NO_CALLS

const NO_CALLS: readonly WireToolCall[] = Object.freeze([])

/** A deep-frozen copy of a message with an id; the same object if it is one already. */
export function ownMessage<T extends Message>(message: T, id: () => string): T {
  if (message.id && isFrozenDeep(message)) return message
  const copy = thaw(message)
  if (!copy.id) copy.id = id()
  return Object.freeze(copy)
}
