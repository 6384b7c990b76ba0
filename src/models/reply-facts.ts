import type { FinishReason } from '../events.js'
import type { Usage } from '../usage.js'

type Fields = { readonly [key: string]: unknown }

/** Whether a value is an object with fields. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/**
 * The usage of one response in Cepa's words, of chat completions (`prompt_tokens`, …) or of responses
 * (`input_tokens`, …); `undefined` if nothing is known.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined
  const inputDetails = first(value.prompt_tokens_details, value.input_tokens_details)
  const outputDetails = first(value.completion_tokens_details, value.output_tokens_details)
  const input = count(value.prompt_tokens) ?? count(value.input_tokens)
  let output = count(value.completion_tokens) ?? count(value.output_tokens)
  const reasoning = count(outputDetails.reasoning_tokens)
  // xAI counts reasoning beside the completion; the total shows it.
  if (reasoning && input !== undefined && output !== undefined && value.total_tokens === input + output + reasoning) {
    output += reasoning
  }
  const known = {
    input,
    output,
    cacheRead: count(inputDetails.cached_tokens) ?? count(value.prompt_cache_hit_tokens),
    cacheWrite: count(inputDetails.cache_write_tokens),
    reasoning,
  }
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = { requests: 1 }
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const tokens = known[key]
    if (tokens !== undefined) usage[key] = tokens
  }
  return Object.keys(usage).length > 1 ? usage : undefined
}

const first = (one: unknown, other: unknown): Fields => (isFields(one) ? one : isFields(other) ? other : {})

/** Finish reasons that mean a failure of the provider, in an answer that looks like success. */
const FAILED: ReadonlySet<string> = new Set(['error', 'network_error', 'insufficient_system_resource'])

/** Whether a finish reason says that the provider failed (OpenRouter, Mistral, Zhipu, DeepSeek). */
export const isFailure = (reason: string): boolean => FAILED.has(reason)

const REASONS: Readonly<Record<string, FinishReason>> = {
  '': 'stop',
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  tool_calls: 'stop',
  tool_use: 'stop',
  function_call: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  refusal: 'refusal',
}

/**
 * The finish reason in Cepa's words. What is there decides, not what is said: providers report `stop` beside calls and
 * `tool_calls` without any.
 */
export function finishReasonOf(said: string, hasCalls: boolean, refused: boolean): FinishReason {
  const lower = said.toLowerCase()
  const reason = Object.hasOwn(REASONS, lower) ? REASONS[lower]! : 'other'
  if (reason === 'length' || reason === 'content_filter') return reason
  if (hasCalls) return 'tool_calls'
  return refused ? 'refusal' : reason
}
