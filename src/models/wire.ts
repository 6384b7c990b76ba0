import type { AssistantMessage, Message, Part, ToolMessage, WireToolCall } from '../messages.js'
import type { ModelCall, ModelProfile } from './model.js'
import { wireIds } from './wire-ids.js'
import type { WireNames } from './wire-names.js'
import { hasText, wellFormed, wireArguments } from './wire-text.js'

/** A message as it goes into the body of a chat completions request. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content?: string | Part[] | null
  [key: string]: unknown
}

/** Stands for a content without text: several providers refuse empty text blocks, and with them the whole thread. */
const EMPTY = '(empty)'
/** Stands for a tool result without text; the message itself must stay, as the answer to its call. */
const NO_OUTPUT = '(no output)'

/** Fields of Cepa's own, and those that this pass writes itself. Everything else on an assistant is its provider's. */
const OWN: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'refusal',
  'reasoning',
  'reasoning_content',
  'id',
  'metadata',
  'status',
  'artifact',
  'name',
  'response_items',
])

/**
 * The messages of a call as OpenAI chat messages, fit for the endpoint that the profile describes. Pure: nothing of
 * the call is changed. The pairing of calls and results is taken as given.
 *
 * - one leading system message, with `systemPrompt` first, unless the profile allows them anywhere
 * - own fields are stripped; a provider's extra fields stay, unless the profile drops them
 * - no `tool_calls: []`, no empty text blocks, only well-formed Unicode
 * - tool messages hold text only: their other parts follow in one user message behind the last result of the batch
 * - arguments are exactly one level of JSON; see `wireArguments`
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function toChatMessages(call: ModelCall, profile: ModelProfile, names: WireNames): ChatMessage[] {
  const wire: ChatMessage[] = []
  const system = systemMessage(call, profile)
  if (system) wire.push(system)
  const toWireId = wireIds(profile)
  let moved: Part[] = []
  for (const message of call.messages) {
    if (message.role !== 'tool' && moved.length > 0) {
      wire.push({ role: 'user', content: moved })
      moved = []
    }
    switch (message.role) {
      case 'system':
        if (profile.systemAnywhere) pushWithContent(wire, message)
        break
      case 'user':
        pushUser(wire, message, profile)
        break
      case 'assistant':
        wire.push(assistantMessage(message, profile, names, toWireId))
        break
      case 'tool':
        wire.push(toolResult(message, toWireId, moved))
        break
    }
  }
  if (moved.length > 0) wire.push({ role: 'user', content: moved })
  const last = wire.at(-1)
  if (profile.prefixLast && last?.role === 'assistant') last.prefix = true
  return wire
}

/** The system text of a call: `systemPrompt`, then the system messages of the list, in order. */
export function systemParts(call: ModelCall): readonly Part[] {
  const parts: Part[] = []
  if (hasText(call.systemPrompt)) parts.push({ type: 'text', text: call.systemPrompt })
  for (const message of call.messages) if (message.role === 'system') parts.push(...partsOf(message.content))
  return parts
}

function systemMessage(call: ModelCall, profile: ModelProfile): ChatMessage | undefined {
  if (profile.systemAnywhere || !call.messages.some((message) => message.role === 'system')) {
    return hasText(call.systemPrompt) ? { role: 'system', content: wellFormed(call.systemPrompt) } : undefined
  }
  const parts = systemParts(call)
  if (parts.length === 0) return undefined
  // A part that says more than its text, such as a cache mark, must stay a part.
  if (parts.some((part) => Object.keys(part).length > 2 || part.type !== 'text')) {
    return { role: 'system', content: parts.map(wirePart) }
  }
  return { role: 'system', content: wellFormed(parts.map((part) => part.text).join('\n\n')) }
}

function pushUser(wire: ChatMessage[], message: Message & { role: 'user' }, profile: ModelProfile): void {
  pushWithContent(wire, message)
  if (message.name !== undefined && profile.messageNames !== false) wire.at(-1)!.name = wellFormed(message.name)
}

function pushWithContent(wire: ChatMessage[], message: Message & { role: 'user' | 'system' }): void {
  const content = contentOf(message.content)
  if (content !== undefined) wire.push({ role: message.role, content })
  else if (message.role === 'user') wire.push({ role: 'user', content: EMPTY })
}

function assistantMessage(
  message: AssistantMessage,
  profile: ModelProfile,
  names: WireNames,
  toWireId: (id: string) => string,
): ChatMessage {
  const wire: ChatMessage = { role: 'assistant' }
  const calls = message.tool_calls
  const hasCalls = Array.isArray(calls) && calls.length > 0
  // A refusal goes back as the text that it is: not every endpoint knows the field.
  const content = contentOf(message.content ?? '') ?? contentOf(message.refusal ?? '')
  if (content !== undefined) wire.content = content
  else if (!hasCalls) wire.content = EMPTY
  else if (profile.emptyContent !== 'absent') wire.content = profile.emptyContent === 'empty' ? '' : null

  if (profile.extras !== 'drop') {
    for (const key in message) {
      const value = message[key]
      if (!OWN.has(key) && value !== undefined && value !== null) wire[key] = value
    }
  }
  const replay = profile.reasoningReplay ?? 'never'
  if (replay === 'always' || (replay === 'tool-turns' && hasCalls)) {
    wire[profile.reasoningField ?? 'reasoning_content'] = wellFormed(reasoningOf(message))
  }
  if (hasCalls) {
    const wireCalls = calls.map((call) => toolCall(call, profile, names, toWireId))
    const first = wireCalls[0]!
    if (profile.firstCallExtra !== undefined) first.extra_content ??= profile.firstCallExtra
    wire.tool_calls = wireCalls
  }
  return wire
}

/** The reasoning of an assistant message: Cepa's `reasoning`, or what a history from elsewhere calls it. */
export function reasoningOf(message: AssistantMessage): string {
  const { reasoning, reasoning_content: foreign } = message
  if (typeof reasoning === 'string') return reasoning
  return typeof foreign === 'string' ? foreign : ''
}

function toolCall(
  call: WireToolCall,
  profile: ModelProfile,
  names: WireNames,
  toWireId: (id: string) => string,
): WireToolCall {
  const fn = { name: names.toWire(call.function.name), arguments: argumentsOf(call) }
  const own = { id: toWireId(call.id), type: 'function' as const }
  if (profile.extras === 'drop') return { ...own, function: fn }
  return { ...call, ...own, function: { ...call.function, ...fn } }
}

// Checking that arguments are JSON means parsing them; the messages of a thread are frozen, so once is enough.
const checked = new WeakMap<object, string>()

/** The arguments of a call as they go on the wire. */
export function argumentsOf(call: WireToolCall): string {
  const known = checked.get(call.function)
  if (known !== undefined) return known
  const args = wireArguments(call.function.arguments)
  if (Object.isFrozen(call.function)) checked.set(call.function, args)
  return args
}

function toolResult(message: ToolMessage, toWireId: (id: string) => string, moved: Part[]): ChatMessage {
  return { role: 'tool', tool_call_id: toWireId(message.tool_call_id), content: resultText(message, moved) }
}

/** The text of a tool message, its text parts joined by an empty line; parts of other kinds are added to `moved`. */
export function resultText(message: ToolMessage, moved: Part[]): string {
  if (typeof message.content === 'string') return hasText(message.content) ? wellFormed(message.content) : NO_OUTPUT
  const texts: string[] = []
  for (const part of message.content) {
    if (part.type !== 'text') moved.push(wirePart(part))
    else if (typeof part.text === 'string' && hasText(part.text)) texts.push(wellFormed(part.text))
  }
  return texts.length > 0 ? texts.join('\n\n') : NO_OUTPUT
}

/** A content without its empty text parts; `undefined` if nothing is left. */
function contentOf(content: string | Part[]): string | Part[] | undefined {
  if (typeof content === 'string') return hasText(content) ? wellFormed(content) : undefined
  const parts = partsOf(content).map(wirePart)
  return parts.length > 0 ? parts : undefined
}

/** The parts of a content that say something. */
export function partsOf(content: string | Part[]): Part[] {
  if (typeof content === 'string') return hasText(content) ? [{ type: 'text', text: content }] : []
  return content.filter((part) => part.type !== 'text' || (typeof part.text === 'string' && hasText(part.text)))
}

function wirePart(part: Part): Part {
  if (typeof part.text !== 'string') return part
  const text = wellFormed(part.text)
  return text === part.text ? part : { ...part, text }
}
