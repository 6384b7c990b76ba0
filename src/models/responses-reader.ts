import type { ModelError } from '../errors.js'
import type { Delta } from '../events.js'
import type { AssistantMessage, WireToolCall } from '../messages.js'
import { newCallId } from './call-slots.js'
import { finishReasonOf, isFields, usageOf } from './reply-facts.js'
import { errorText, incomplete, mayPass, misshapen, type Origin } from './reply-failure.js'
import type { Reply } from './stream-reader.js'
import type { WireNames } from './wire-names.js'
import { hasText, unwrapped } from './wire-text.js'

type Fields = { readonly [key: string]: unknown }

const NO_DELTAS: readonly Delta[] = Object.freeze([])
const BETWEEN = '\n\n'

/**
 * Reads the events of one response, or a whole one. Only the events that end a response end it. Output items that
 * chat messages have no place for (reasoning, tools of the provider) are kept verbatim, with their neighbours, as
 * `response_items` on the message.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseReader {
  readonly #names: WireNames
  readonly #origin: Origin
  readonly #calls = new Map<unknown, { readonly id: string; readonly name: string }>()
  readonly #items = new Map<number, Fields>()
  #textIndex: unknown
  #final: Fields | undefined

  constructor(names: WireNames, origin: Origin) {
    this.#names = names
    this.#origin = origin
  }

  /**
   * Takes one event, as parsed JSON, and gives what there is to show of it.
   *
   * @throws ModelError `STREAM_INCOMPLETE` if the event is an error, or the response failed
   */
  push(event: unknown): readonly Delta[] {
    if (!isFields(event)) return NO_DELTAS
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#text(event)
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return typeof event.delta === 'string' ? [{ type: 'reasoning', text: event.delta }] : NO_DELTAS
      case 'response.output_item.added':
        this.#open(event)
        return NO_DELTAS
      case 'response.function_call_arguments.delta':
        return this.#args(event)
      case 'response.output_item.done':
        if (typeof event.output_index === 'number' && isFields(event.item))
          this.#items.set(event.output_index, event.item)
        return NO_DELTAS
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.read(event.response)
        return NO_DELTAS
      case 'error':
        throw this.#failed(isFields(event.error) ? event.error : event)
      default:
        if (event.type === undefined && event.error) throw this.#failed(event.error)
        return NO_DELTAS
    }
  }

  /**
   * Takes a whole response.
   *
   * @throws ModelError `STREAM_INCOMPLETE` if it failed, `MODEL_RESPONSE` if it is none, or not finished
   */
  read(response: unknown): void {
    if (isFields(response) && response.error) throw this.#failed(response.error)
    const status = isFields(response) ? (response.status ?? 'completed') : undefined
    if (status === 'failed' || status === 'cancelled') throw this.#failed({ message: `status "${status}"` })
    if (!isFields(response) || (status !== 'completed' && status !== 'incomplete')) {
      throw misshapen('a finished response', status === undefined ? response : status, this.#origin)
    }
    this.#final = response
  }

  /**
   * Ends the reply.
   *
   * @throws ModelError `STREAM_INCOMPLETE` if no event has ended the response
   */
  end(): Reply {
    const response = this.#final
    if (!response) throw incomplete('a stream that ends before its response', this.#origin)
    const output = Array.isArray(response.output) ? response.output.filter(isFields) : []
    // Some servers leave the output of the last event empty.
    const items = output.length > 0 ? output : [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item)
    const text = textOfItems(items, 'output_text', 'text')
    const refusal = textOfItems(items, 'refusal', 'refusal')
    const reasoning = items.map(reasoningOfItem).filter(hasText).join(BETWEEN)
    const { calls, items: kept } = this.#callsOf(items)
    const message: AssistantMessage = { role: 'assistant', content: text === '' && calls.length > 0 ? null : text }
    if (reasoning !== '') message.reasoning = reasoning
    if (kept.some(needsItem)) message.response_items = kept
    if (calls.length > 0) message.tool_calls = calls
    if (refusal !== '') message.refusal = refusal
    const details = isFields(response.incomplete_details) ? response.incomplete_details.reason : undefined
    const said = response.status === 'incomplete' ? (details === 'content_filter' ? details : 'length') : 'stop'
    return {
      message,
      finishReason: finishReasonOf(said, calls.length > 0, refusal !== ''),
      usage: usageOf(response.usage),
      deltas: NO_DELTAS,
    }
  }

  #failed(error: unknown): ModelError {
    return incomplete(`a failure: ${errorText(error)}`, this.#origin, { cause: error, retryable: mayPass(error) })
  }

  #text(event: Fields): readonly Delta[] {
    if (typeof event.delta !== 'string' || event.delta === '') return NO_DELTAS
    const isNext = this.#textIndex !== undefined && this.#textIndex !== event.output_index
    this.#textIndex = event.output_index ?? 0
    return [{ type: 'text', text: isNext ? BETWEEN + event.delta : event.delta }]
  }

  #open({ item, output_index: index }: Fields): void {
    if (!isFields(item) || item.type !== 'function_call') return
    const { call_id: id, name } = item
    if (typeof id === 'string' && id !== '' && typeof name === 'string') {
      this.#calls.set(index, { id, name: this.#names.fromWire(name) })
    }
  }

  #args(event: Fields): readonly Delta[] {
    const call = this.#calls.get(event.output_index)
    if (!call || typeof event.delta !== 'string' || event.delta === '') return NO_DELTAS
    return [{ type: 'tool-args', toolCallId: call.id, name: call.name, text: event.delta }]
  }

  /** The calls of a reply, and the items with the ids that those have: made up where missing or given twice. */
  #callsOf(items: readonly Fields[]): { calls: WireToolCall[]; items: Fields[] } {
    const ids = new Set<string>()
    const calls: WireToolCall[] = []
    const kept = items.map((item) => {
      if (item.type !== 'function_call') return item
      const given = typeof item.call_id === 'string' && item.call_id !== '' && !ids.has(item.call_id)
      const id = given ? String(item.call_id) : newCallId()
      ids.add(id)
      const name = typeof item.name === 'string' ? this.#names.fromWire(item.name) : ''
      const args = typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments ?? {})
      calls.push({ id, type: 'function', function: { name, arguments: hasText(args) ? unwrapped(args) : '{}' } })
      return given ? item : { ...item, call_id: id }
    })
    return { calls, items: kept }
  }
}

/** Whether an item says more than a chat message can hold. */
const needsItem = (item: Fields): boolean =>
  (item.type !== 'message' && item.type !== 'function_call') || typeof item.phase === 'string'

/** The text of the message items of an output; items are joined by an empty line. */
export function textOfItems(items: readonly Fields[], type: string, key: string): string {
  const texts: string[] = []
  for (const item of items) {
    if (item.type !== 'message' || !Array.isArray(item.content)) continue
    let text = ''
    for (const part of item.content)
      if (isFields(part) && part.type === type && typeof part[key] === 'string') text += part[key]
    if (text !== '') texts.push(text)
  }
  return texts.join(BETWEEN)
}

function reasoningOfItem(item: Fields): string {
  if (item.type !== 'reasoning') return ''
  for (const list of [item.content, item.summary]) {
    if (!Array.isArray(list)) continue
    const texts = list.map((part) => (isFields(part) && typeof part.text === 'string' ? part.text : ''))
    if (texts.some(hasText)) return texts.join(BETWEEN)
  }
  return ''
}
