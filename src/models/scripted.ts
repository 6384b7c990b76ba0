import { ModelError } from '../errors.js'
import type { Delta, FinishReason } from '../events.js'
import type { AssistantMessage, WireToolCall } from '../messages.js'
import { textOf } from '../messages.js'
import type { Usage } from '../usage.js'
import type { Model, ModelCall, ModelProfile, ModelResponse } from './model.js'

/** A tool call of a scripted reply. Made by {@link toolCall}, or written by hand. */
export interface ScriptedCall {
  /** `call_1`, `call_2`, … by default, counted over the whole script. */
  readonly id?: string
  readonly name: string
  /** Any value, sent as one level of JSON; a string is sent as it is, so it may be broken JSON. `{}` by default. */
  readonly args?: unknown
}

/** One reply by its parts. All are optional: `{}` is an empty answer. */
export interface ScriptedParts {
  /** The text; by default what the text of `deltas` joins to. */
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly ScriptedCall[]
  /** What is shown of it, in order, when somebody listens; a string is a piece of text. Small pieces by default. */
  readonly deltas?: readonly (string | Delta)[]
  /** `requests` is 1 by default; token counts are unknown unless they are given. */
  readonly usage?: Partial<Usage>
  /** `'tool_calls'` if there are any, else `'stop'`. */
  readonly finishReason?: FinishReason
  /** How long to wait before the reply, in milliseconds; an abort ends the wait. */
  readonly delayMs?: number
  /** Thrown as it is after the deltas were shown. */
  readonly error?: unknown
}

/** What a model answers with: text, parts, a whole response, or an error that it throws as the same object. */
export type ScriptedAnswer = string | ScriptedParts | ModelResponse | Error

/** An answer, or a function that makes one from the call and its number, which counts from 0. */
export type ScriptedReply =
  | ScriptedAnswer
  | ((call: ModelCall, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** @default 'scripted' */
  readonly provider?: string
  /** @default 'scripted' */
  readonly id?: string
  readonly profile?: ModelProfile
  /** Whether `calls` is kept. @default true */
  readonly record?: boolean
}

/** A {@link Model} that answers from a script. */
export interface ScriptedModel extends Model {
  /** Each call as it was given, oldest first; the list of messages is a copy. */
  readonly calls: readonly ModelCall[]
  /** Throws a `ModelError` if replies are left over. */
  done(): void
}

/**
 * The one fake of a {@link Model} for tests: answers from a list, in order, the same for streamed and unstreamed runs.
 * A single function in place of the list answers every call. Calls may run concurrently: each takes the next reply
 * when it begins.
 *
 * @throws ModelError `MODEL_FAILED`, from `generate`, when it is called more often than there are replies
 * @example
 * const model = scriptedModel([{ toolCalls: [toolCall('weather', { city: 'Oslo' })] }, 'It rains.'])
 */
export function scriptedModel(
  replies: readonly ScriptedReply[] | Extract<ScriptedReply, (...args: never[]) => unknown>,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const calls: ModelCall[] = []
  const nextId = counter()
  let used = 0

  return {
    provider: options.provider ?? 'scripted',
    id: options.id ?? 'scripted',
    profile: options.profile ?? {},
    calls,
    async generate(call) {
      call.signal.throwIfAborted()
      const index = used++
      if (options.record !== false) calls.push({ ...call, messages: [...call.messages] })
      const reply = typeof replies === 'function' ? replies : replies[index]
      if (reply === undefined) throw pastTheEnd(index, replies.length)
      const answer = typeof reply === 'function' ? await reply(call, index) : reply
      return respond(answer, call, nextId)
    },
    done() {
      if (typeof replies === 'function' || used >= replies.length) return
      throw new ModelError(
        `scriptedModel: expected all ${replies.length} replies to be used, got ${used} calls: ` +
          `remove the last ${replies.length - used}, or see why the run ended early`,
      )
    },
  }
}

/** A tool call for `toolCalls` of a scripted reply. A string as `args` is sent as it is. */
export const toolCall = (name: string, args: unknown = {}, id?: string): ScriptedCall =>
  id === undefined ? { name, args } : { id, name, args }

function counter(): () => string {
  let count = 0
  return () => {
    count += 1
    return `call_${count}`
  }
}

const pastTheEnd = (index: number, length: number): ModelError =>
  new ModelError(
    `scriptedModel: expected at most ${length} model calls, got call ${index + 1}: add a reply, or see why the run goes on`,
  )

async function respond(answer: ScriptedAnswer, call: ModelCall, nextId: () => string): Promise<ModelResponse> {
  if (answer instanceof Error) throw answer
  const whole = typeof answer === 'object' && 'message' in answer ? answer : undefined
  const parts: ScriptedParts = whole ? {} : typeof answer === 'string' ? { text: answer } : answer
  if (parts.delayMs !== undefined) await wait(parts.delayMs, call.signal)
  const response = whole ?? { ...base(parts), message: messageOf(parts, nextId) }
  if (call.streaming) {
    for (const delta of parts.deltas ?? deltasOf(response.message)) {
      call.signal.throwIfAborted()
      await call.emit(typeof delta === 'string' ? { type: 'text', text: delta } : delta)
    }
  }
  call.signal.throwIfAborted()
  if ('error' in parts) throw parts.error
  return response
}

const base = (parts: ScriptedParts): Pick<ModelResponse, 'finishReason' | 'usage'> => ({
  finishReason: parts.finishReason ?? (parts.toolCalls?.length ? 'tool_calls' : 'stop'),
  usage: { requests: 1, ...parts.usage },
})

function messageOf(parts: ScriptedParts, nextId: () => string): AssistantMessage {
  const calls = (parts.toolCalls ?? []).map((entry): WireToolCall => {
    const args = typeof entry.args === 'string' ? entry.args : JSON.stringify(entry.args ?? {})
    return { id: entry.id ?? nextId(), type: 'function', function: { name: entry.name, arguments: args } }
  })
  const text = parts.text ?? joined(parts.deltas ?? [])
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(parts.reasoning === undefined ? {} : { reasoning: parts.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function joined(deltas: readonly (string | Delta)[]): string {
  let text = ''
  for (const delta of deltas) {
    if (typeof delta === 'string') text += delta
    else if (delta.type === 'text') text += delta.text
    else if (delta.type === 'reset') text = ''
  }
  return text
}

function* deltasOf(message: AssistantMessage): Generator<Delta> {
  if (typeof message.reasoning === 'string') {
    for (const text of pieces(message.reasoning)) yield { type: 'reasoning', text }
  }
  for (const text of pieces(textOf(message.content ?? ''))) yield { type: 'text', text }
  for (const call of message.tool_calls ?? []) {
    for (const text of pieces(call.function.arguments))
      yield { type: 'tool-args', toolCallId: call.id, name: call.function.name, text }
  }
}

// The `u` flag keeps surrogate pairs whole.
const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,5}/gu) ?? []

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}
