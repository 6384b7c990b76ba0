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
  if (role === 'assistant' && !areCalls((value as AssistantMessage).tool_calls)) return false
  if (role === 'assistant' && (content === null || content === undefined)) return true
  return typeof content === 'string' || (Array.isArray(content) && content.every(isPart))
}

/** Calls as an app may hand them in: each with an id and a name. */
const areCalls = (calls: unknown): boolean =>
  calls === undefined ||
  calls === null ||
  (Array.isArray(calls) &&
    calls.every((call) => typeof call?.id === 'string' && typeof call.function?.name === 'string'))

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

/** What stands in for a result that never came. */
export const missingResult = (call: WireToolCall, text: string): ToolMessage => ({
  role: 'tool',
  tool_call_id: call.id,
  name: call.function.name,
  content: text,
  status: 'error',
})

/** How {@link repairPairs} deals with calls that have no result. */
export interface RepairOptions {
  /** Leave the calls of the last assistant message open. @default false */
  open?: boolean
  /** Text of a result that stands in. */
  text?: string
}

/**
 * Mends the pairing of a list: each call has exactly one result, right behind its message, in call order. A missing
 * result is made up, one that stands elsewhere is moved, one that answers nothing is left out. Gives back the same
 * array if nothing is wrong. Linear in the length of the list.
 */
export function repairPairs(messages: readonly Message[], options: RepairOptions = {}): readonly Message[] {
  const { open = false, text = 'No result: the call was never completed.' } = options
  let mended: Message[] | undefined
  let places: Places | undefined
  const used = new Set<number>()
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message
    if (message.role === 'tool') {
      mended ??= messages.slice(0, at)
      continue
    }
    mended?.push(message)
    const asked = callsOf(message)
    if (asked.length === 0) continue
    if (inPlace(messages, at, asked, used)) {
      mended?.push(...messages.slice(at + 1, at + 1 + asked.length))
      at += asked.length
      continue
    }
    places ??= placesOf(messages)
    const results = findResults(messages, at, asked, used, places)
    if (open && at === places.lastAssistant) {
      const there = results.filter((result) => result !== undefined)
      if (there.every((result, index) => messages[at + 1 + index] === result)) at += there.length
      else mended ??= messages.slice(0, at + 1)
      mended?.push(...there)
      continue
    }
    mended ??= messages.slice(0, at + 1)
    for (const [index, call] of asked.entries()) mended.push(results[index] ?? standIn(message, call, text))
  }
  return mended ?? messages
}

const inPlace = (
  messages: readonly Message[],
  at: number,
  asked: readonly WireToolCall[],
  used: Set<number>,
): boolean =>
  asked.every((call, index) => {
    const next = messages[at + 1 + index]
    return next?.role === 'tool' && next.tool_call_id === call.id && !used.has(at + 1 + index)
  })

/** The same each time that a list is mended, its id too. */
const standIn = (message: Message, call: WireToolCall, text: string): ToolMessage =>
  message.id === undefined
    ? missingResult(call, text)
    : { ...missingResult(call, text), id: `${message.id}/${call.id}` }

/** Where in a list each call id is answered and asked, the last place first, to be used up from the end. */
interface Places {
  readonly results: Map<string, number[]>
  readonly asks: Map<string, number[]>
  readonly lastAssistant: number
}

function placesOf(messages: readonly Message[]): Places {
  const results = new Map<string, number[]>()
  const asks = new Map<string, number[]>()
  const add = (to: Map<string, number[]>, id: string, at: number): void => {
    const known = to.get(id)
    if (known) known.push(at)
    else to.set(id, [at])
  }
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message
    if (message.role === 'tool') add(results, message.tool_call_id, at)
    for (const call of callsOf(message)) add(asks, call.id, at)
  }
  return { results, asks, lastAssistant: messages.findLastIndex(({ role }) => role === 'assistant') }
}

/** The first place behind an index. Lists are gone through forwards, so places before it are done with. */
function nextPlace(places: number[] | undefined, at: number): number | undefined {
  while (places && places.length > 0 && (places.at(-1) as number) <= at) places.pop()
  return places?.at(-1)
}

/** The results of a message's calls, wherever they stand behind it, up to a later message that reuses the id. */
function findResults(
  messages: readonly Message[],
  at: number,
  asked: readonly WireToolCall[],
  used: Set<number>,
  { results, asks }: Places,
): (ToolMessage | undefined)[] {
  return asked.map(({ id }) => {
    const place = nextPlace(results.get(id), at)
    const askedAgain = nextPlace(asks.get(id), at) ?? messages.length
    if (place === undefined || place > askedAgain) return undefined
    results.get(id)?.pop()
    used.add(place)
    return messages[place] as ToolMessage
  })
}
