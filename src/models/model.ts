import type { Delta, FinishReason } from '../events.js'
import type { AssistantMessage, Message } from '../messages.js'
import type { Usage } from '../usage.js'

/** Which tool a model must, may or must not call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** Settings of a model call. What a provider has no word for is left out; `extraBody` goes into the request as it is. */
export interface ModelSettings {
  readonly temperature?: number
  readonly topP?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly reasoningEffort?: string
  readonly parallelToolCalls?: boolean
  /** Longest silence of a provider, in milliseconds: before the headers and between two chunks. 300,000 by default. */
  readonly idleTimeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** JSON Schema, as plain data. */
export type JsonSchema = { readonly [key: string]: unknown }

/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, with an object root, not yet in any provider's dialect. */
  readonly inputSchema: JsonSchema
  /** Ask the provider to hold the model to the schema. */
  readonly strict?: boolean
  /** A tool that the provider runs itself, in the provider's own shape; passed through, never executed here. */
  readonly provider?: JsonSchema
}

/** The dialect of JSON Schema in which an endpoint takes tools. See `tools/dialect.ts`. */
export type SchemaDialect = 'openai' | 'openai-strict' | 'anthropic' | 'gemini' | 'portable'

/** What is different about a model. All fields have the defaults of plain OpenAI chat completions. */
export interface ModelProfile {
  /** @default 'openai' */
  readonly dialect?: SchemaDialect
  /** Whether `response_format` with a JSON schema is obeyed. @default false */
  readonly nativeStructuredOutput?: boolean
  /** Whether system messages may stand anywhere. @default false: one leading system message */
  readonly systemAnywhere?: boolean
  /**
   * Which assistant messages go back with their reasoning: those with tool calls, all, or none. A message that must
   * have the field and has no reasoning gets an empty one. The state keeps it in any case.
   * @default 'never'
   */
  readonly reasoningReplay?: 'never' | 'tool-turns' | 'always'
  /** The field in which reasoning goes back. @default 'reasoning_content' */
  readonly reasoningField?: 'reasoning_content' | 'reasoning'
  /** Whether a reasoning delta that equals the one before is a repetition, to be skipped. @default false */
  readonly repeatsReasoning?: boolean
  /** Whether a leading `<think>…</think>` in the text is reasoning. @default false */
  readonly thinkTags?: boolean
  /** The content of an assistant message that has tool calls and no text. @default 'null' */
  readonly emptyContent?: 'null' | 'empty' | 'absent'
  /**
   * Which tool call ids are taken: any, `^[a-zA-Z0-9_-]{1,40}$`, or nine alphanumerics. Others are mapped on the wire.
   * @default 'any'
   */
  readonly callIds?: 'any' | 'portable' | 'alnum9'
  /** Whether `name` on user messages is taken. @default true */
  readonly messageNames?: boolean
  /** Whether a provider's own fields of messages and calls go back to it, or make it refuse. @default 'keep' */
  readonly extras?: 'keep' | 'drop'
  /** The `extra_content` of a message's first call, where another provider made it and it has none. @default none */
  readonly firstCallExtra?: Readonly<Record<string, unknown>>
  /** Whether a last assistant message must say `prefix: true`. @default false */
  readonly prefixLast?: boolean
  /** The word for "must call some tool". @default 'required' */
  readonly requiredWord?: 'required' | 'any'
  /** The field of the bound on output tokens. @default 'max_tokens' */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** The highest temperature; what is above is cut. @default none */
  readonly maxTemperature?: number
  /** Whether usage may be asked for in a stream, by `stream_options`. @default true */
  readonly streamUsage?: boolean
}

/** The native form of a structured answer. */
export interface OutputFormat {
  readonly name: string
  readonly schema: JsonSchema
}

/** What a model is given for one call. Messages are paired, and hold no system message unless the profile allows it. */
export interface ModelCall {
  readonly messages: readonly Message[]
  readonly systemPrompt: string
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: ToolChoice | undefined
  readonly outputFormat: OutputFormat | undefined
  readonly settings: ModelSettings
  /** Shows a piece of the reply. Await it: it gives a promise when the reader's buffer is full. */
  readonly emit: (delta: Delta) => void | Promise<void>
  /** Whether somebody listens; if not, the provider is not asked to stream. */
  readonly streaming: boolean
  readonly signal: AbortSignal
}

/** A model's answer. */
export interface ModelResponse {
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  /** What this call used, where the provider says so. The run's account is kept by the core. */
  readonly usage?: Usage
  /** The validated structured answer, if one was asked for. */
  readonly structured?: unknown
  /** Updates of the state, inner first; see `withUpdate`. */
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  readonly goto?: 'end' | 'model' | 'tools'
  /** Answered from the journal. */
  readonly replayed?: boolean
}

/**
 * A model. `generate` returns the whole reply, shows its pieces by `call.emit` if `call.streaming`, obeys
 * `call.signal`, and throws a `ModelError` where the provider fails. It may be called concurrently.
 */
export interface Model {
  readonly provider: string
  readonly id: string
  readonly profile: ModelProfile
  generate(call: ModelCall): Promise<ModelResponse>
}

/** Makes a response of text, e.g. for a layer that answers without the model. */
export const reply = (text: string): ModelResponse => ({
  message: { role: 'assistant', content: text },
  finishReason: 'stop',
})
