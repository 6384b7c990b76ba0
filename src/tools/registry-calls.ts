import { ConfigError, type ErrorCode, got } from '../errors.js'
import { type AssistantMessage, type Message, missingResult, type ToolMessage, type WireToolCall } from '../messages.js'

/** A tool call in the short shape. `arguments` is JSON text; an object is tolerated. */
export interface FlatToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string | object | null | undefined
}

/** A tool call in the shape of OpenAI, whose `arguments` may be an object, too. */
export interface NestedToolCall {
  readonly id: string
  readonly type?: string
  readonly function: { readonly name: string; readonly arguments: string | object | null | undefined }
}

/** A tool call as models give it, in either shape; unknown fields are a provider's. */
export type RegistryToolCall = FlatToolCall | NestedToolCall

/** The result of one call. */
export interface RegistryResult {
  readonly toolCallId: string
  readonly name: string
  readonly content: ToolMessage['content']
  /** Whether the call failed, or was denied. */
  readonly isError: boolean
  /** The code of the error, where there was one: `TOOL_NOT_FOUND`, `TOOL_INPUT`, `TOOL_TIMEOUT`, `TOOL_FAILED`, … */
  readonly code?: ErrorCode
  /** What the tool keeps from the model. */
  readonly artifact?: unknown
  /** Updates of the state that the tool asked for; a registry has no state, so they are the caller's to apply. */
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  /** The ready tool message. */
  readonly message: ToolMessage
}

/**
 * Id, name and arguments of a call of either shape. Some servers give no id: then it is `call_1`, `call_2`, … by place.
 * A name that is no text is the empty one, which no tool has.
 *
 * @throws ConfigError for what is no object
 */
export function readCall(call: unknown, index: number): { id: string; name: string; args: unknown } {
  if (typeof call !== 'object' || call === null) {
    throw new ConfigError(
      `toolCalls[${index}]: expected { id, name, arguments } or { id, function: { name, arguments } }, got ${got(call)}`,
    )
  }
  const { id, function: nested } = call as { readonly id?: unknown; readonly function?: unknown }
  const inner = (typeof nested === 'object' && nested !== null ? nested : call) as Record<string, unknown>
  return {
    id: typeof id === 'string' && id !== '' ? id : `call_${index + 1}`,
    name: typeof inner.name === 'string' ? inner.name : '',
    args: inner.arguments,
  }
}

/**
 * The messages of a round of tools, for one's own loop: the assistant message with the calls, and one tool message per
 * call, in call order. A provider's own fields are kept; arguments are one level of JSON text; a call without a result
 * gets one that says so. `content` is what the model said beside its calls.
 *
 * @throws ConfigError for what is no call.
 */
export function toolMessages(
  toolCalls: readonly RegistryToolCall[],
  results: readonly RegistryResult[],
  content: AssistantMessage['content'] = null,
): Message[] {
  if (toolCalls.length === 0) return []
  const calls = toolCalls.map(wireCall)
  const open = new Set(results)
  const answers = calls.map((call, index) => {
    const same = results[index]
    const result = same?.toolCallId === call.id ? same : [...open].find(({ toolCallId }) => toolCallId === call.id)
    if (result === undefined || !open.delete(result)) {
      return missingResult(call, 'No result: the call was never completed.')
    }
    return { ...result.message, tool_call_id: call.id }
  })
  return [{ role: 'assistant', content, tool_calls: calls }, ...answers]
}

function wireCall(call: RegistryToolCall, index: number): WireToolCall {
  const { id, name, args } = readCall(call, index)
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  const own = { name, arguments: text.trim() === '' ? '{}' : text }
  if ('function' in call) return { ...call, id, type: 'function', function: { ...call.function, ...own } }
  const { name: _name, arguments: _arguments, ...extras } = call
  return { ...extras, id, type: 'function', function: own }
}
