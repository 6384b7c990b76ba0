import type { Delta, FinishReason } from '../events.js'
import type { AssistantMessage } from '../messages.js'
import type { Usage } from '../usage.js'
import { CallSlots } from './call-slots.js'
import type { ModelProfile } from './model.js'
import { finishReasonOf, isFailure, isFields, usageOf } from './reply-facts.js'
import { errorText, incomplete, mayPass, type Origin } from './reply-failure.js'
import { type ThinkTags, thinkTags } from './think-tags.js'
import type { WireNames } from './wire-names.js'

/** A reply that was read to its end. */
export interface Reply {
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  /** `undefined` where the provider reported none: unknown is not zero. */
  readonly usage: Usage | undefined
  /** What was held back until the end, e.g. the arguments of a call whose id never came. */
  readonly deltas: readonly Delta[]
}

const NO_DELTAS: readonly Delta[] = Object.freeze([])

/**
 * Reads the chunks of one chat completion: tolerant of what servers do to chunks, strict at the end. One reader reads
 * one reply.
 *
 * - Chunks without choices or delta are read for usage only; usage is cumulative, so the last one seen counts.
 * - Reasoning is captured once, whatever field it comes in, as `reasoning`; `reasoning_details` and other unknown
 *   fields are kept verbatim on the message.
 * - Calls are gathered by {@link CallSlots}.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ReplyReader {
  readonly #origin: Origin
  readonly #repeatsReasoning: boolean
  readonly #slots: CallSlots
  readonly #tags: ThinkTags | undefined
  readonly #extras: Record<string, unknown> = {}
  #deltas: Delta[] = []
  #text = ''
  #reasoning = ''
  #lastReasoning = ''
  #details: Details[] | undefined
  #refusal = ''
  #finish = ''
  #hasChoice = false
  #usage: unknown

  constructor(names: WireNames, profile: ModelProfile, origin: Origin) {
    this.#origin = origin
    this.#repeatsReasoning = profile.repeatsReasoning ?? false
    this.#slots = new CallSlots(names)
    if (profile.thinkTags) this.#tags = thinkTags(this.#show('text'), this.#show('reasoning'))
  }

  /**
   * Takes one chunk, as parsed JSON, and gives what there is to show of it.
   *
   * @throws ModelError `STREAM_INCOMPLETE` if the chunk is an error
   */
  push(chunk: unknown): readonly Delta[] {
    if (!isFields(chunk)) return NO_DELTAS
    if (chunk.error || chunk.object === 'error' || chunk.type === 'error') throw this.#failed(chunk.error || chunk)
    if (chunk.usage) this.#usage = chunk.usage
    else if (isFields(chunk.x_groq) && chunk.x_groq.usage) this.#usage = chunk.x_groq.usage
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (!isFields(choice) || (choice.index !== undefined && choice.index !== null && choice.index !== 0))
      return NO_DELTAS
    if (choice.error) throw this.#failed(choice.error)
    this.#hasChoice = true
    if (choice.usage) this.#usage = choice.usage
    this.#deltas = []
    if (isFields(choice.delta)) this.#read(choice.delta, false)
    // Some servers send a whole message where a delta is expected; behind deltas it would be the same again.
    else if (isFields(choice.message) && !this.#hasContent()) this.#read(choice.message, true)
    const finish = choice.finish_reason
    if (typeof finish === 'string' && finish !== '') {
      if (isFailure(finish)) throw this.#failed({ message: `finish_reason ${JSON.stringify(finish)}` })
      this.#finish = finish
    }
    return this.#deltas.length === 0 ? NO_DELTAS : this.#deltas
  }

  /**
   * Ends the reply. `marked` says that an end mark was seen (`[DONE]`, or the end of a JSON body); without one, a
   * finish reason must have come.
   *
   * @throws ModelError `STREAM_INCOMPLETE` if neither was there, or no choice at all
   */
  end(marked = false): Reply {
    if (!marked && this.#finish === '')
      throw incomplete('a stream that ends without an end mark or a finish reason', this.#origin)
    if (!this.#hasChoice) throw incomplete('a stream without any choice', this.#origin)
    this.#deltas = []
    this.#tags?.end()
    const calls = this.#slots.end(this.#deltas)
    const message: AssistantMessage = {
      role: 'assistant',
      content: this.#text === '' && calls.length > 0 ? null : this.#text,
    }
    if (this.#reasoning !== '') message.reasoning = this.#reasoning
    if (this.#details) message.reasoning_details = this.#details
    Object.assign(message, this.#extras)
    if (calls.length > 0) message.tool_calls = calls
    if (this.#refusal !== '') message.refusal = this.#refusal
    const finishReason = finishReasonOf(this.#finish, calls.length > 0, this.#refusal !== '')
    return { message, finishReason, usage: usageOf(this.#usage), deltas: this.#deltas }
  }

  #hasContent(): boolean {
    return this.#text !== '' || this.#reasoning !== '' || this.#slots.size > 0
  }

  #failed(error: unknown): Error {
    return incomplete(`an error inside: ${errorText(error)}`, this.#origin, {
      cause: error,
      retryable: mayPass(error),
    })
  }

  #read(delta: { readonly [key: string]: unknown }, whole: boolean): void {
    const reasoning = textIn(delta.reasoning_content) || textIn(delta.reasoning) || detailsText(delta.reasoning_details)
    if (reasoning !== '') this.#readReasoning(reasoning)
    for (const key in delta) {
      const value = delta[key]
      if (value === null || value === undefined || value === '') continue
      switch (key) {
        case 'content':
          if (typeof value === 'string') this.#readText(value)
          else if (Array.isArray(value)) for (const part of value) this.#readPart(part)
          break
        case 'reasoning_content':
        case 'reasoning':
          break
        case 'reasoning_details':
          if (Array.isArray(value)) this.#details = whole ? value : withDetails(this.#details, value)
          break
        case 'tool_calls':
          this.#slots.push(Array.isArray(value) ? value : [value], whole, this.#deltas)
          break
        case 'function_call':
          // The form before `tool_calls`: one call, without an id.
          this.#slots.push([{ index: 0, function: value }], whole, this.#deltas)
          break
        case 'refusal':
          if (typeof value === 'string') this.#refusal += value
          break
        default:
          if (!NOT_KEPT.has(key)) this.#keep(key, value)
      }
    }
  }

  #readText(text: string): void {
    if (this.#tags) this.#tags.push(text)
    else {
      this.#text += text
      this.#deltas.push({ type: 'text', text })
    }
  }

  #readReasoning(text: string): void {
    const isRepeated = this.#repeatsReasoning && text === this.#lastReasoning
    this.#lastReasoning = text
    if (isRepeated) return
    this.#reasoning += text
    this.#deltas.push({ type: 'reasoning', text })
  }

  #show(type: 'text' | 'reasoning'): (text: string) => void {
    return (text) => {
      if (type === 'text') this.#text += text
      else this.#reasoning += text
      this.#deltas.push({ type, text })
    }
  }

  /** Reads a part of a content list: text, or Mistral's `{ type: 'thinking', thinking: [{ type: 'text', text }] }`. */
  #readPart(part: unknown): void {
    if (!isFields(part)) return
    if (part.type === 'text' && typeof part.text === 'string' && part.text !== '') this.#readText(part.text)
    else if (part.type === 'thinking') {
      const text = typeof part.thinking === 'string' ? part.thinking : detailsText(part.thinking)
      if (text !== '') this.#readReasoning(text)
    }
  }

  #keep(key: string, value: unknown): void {
    const before = this.#extras[key]
    this.#extras[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Fields of a message that are no provider's extra: those of every message, and Cepa's own. */
const NOT_KEPT: ReadonlySet<string> = new Set(['role', 'id', 'metadata', 'status', 'artifact', 'index', '__proto__'])

type Details = Readonly<Record<string, unknown>>

/** Appends pieces of `reasoning_details`, as OpenRouter streams them: text of one entry comes in many pieces. */
function withDetails(before: Details[] | undefined, added: readonly unknown[]): Details[] {
  const details = before ?? []
  for (const piece of added) {
    if (!isFields(piece)) continue
    const last = details.at(-1)
    const key = piece.type === 'reasoning.summary' ? 'summary' : 'text'
    const text = piece[key]
    const continues = last?.type === piece.type && last?.index === piece.index && typeof last?.[key] === 'string'
    if (last === undefined || !continues || typeof text !== 'string') details.push({ ...piece })
    else details[details.length - 1] = { ...last, ...given(piece), [key]: `${last[key]}${text}` }
  }
  return details
}

const given = (fields: Details): Details =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

function detailsText(details: unknown): string {
  let text = ''
  if (!Array.isArray(details)) return text
  for (const entry of details) {
    if (!isFields(entry)) continue
    if (typeof entry.text === 'string') text += entry.text
    else if (typeof entry.summary === 'string') text += entry.summary
  }
  return text
}
