import { toDialect } from '../tools/dialect.js'
import type { JsonSchema, ModelCall, ModelProfile, OutputFormat, ToolDefinition } from './model.js'
import { toChatMessages } from './wire.js'
import type { WireNames } from './wire-names.js'
import { wellFormed } from './wire-text.js'

/** The body of a request. */
export type Body = Record<string, unknown>

/**
 * The body of a chat completions request: what the call does not set is left out, tools and what goes with them too
 * if there are none. `settings.extraBody` is laid over it.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatBody(call: ModelCall, model: string, profile: ModelProfile, names: WireNames): Body {
  const body: Body = { model, messages: toChatMessages(call, profile, names) }
  const { settings } = call
  if (call.tools.length > 0) {
    body.tools = call.tools.map((tool) => chatTool(tool, profile, names))
    if (call.toolChoice !== undefined) body.tool_choice = chatToolChoice(call.toolChoice, profile, names)
    if (settings.parallelToolCalls !== undefined) body.parallel_tool_calls = settings.parallelToolCalls
  }
  if (call.outputFormat)
    body.response_format = { type: 'json_schema', json_schema: outputSchema(call.outputFormat, profile) }
  if (settings.temperature !== undefined) body.temperature = temperatureOf(settings.temperature, profile)
  if (settings.topP !== undefined) body.top_p = settings.topP
  if (settings.maxTokens !== undefined) body[profile.maxTokensField ?? 'max_tokens'] = settings.maxTokens
  if (settings.stop !== undefined) body.stop = settings.stop
  if (settings.seed !== undefined) body.seed = settings.seed
  if (settings.reasoningEffort !== undefined) body.reasoning_effort = settings.reasoningEffort
  if (call.streaming) {
    body.stream = true
    if (profile.streamUsage !== false) body.stream_options = { include_usage: true }
  }
  return settings.extraBody ? Object.assign(body, settings.extraBody) : body
}

/** A temperature within what the provider takes. */
export const temperatureOf = (temperature: number, profile: ModelProfile): number =>
  profile.maxTemperature === undefined ? temperature : Math.min(temperature, profile.maxTemperature)

function chatTool(tool: ToolDefinition, profile: ModelProfile, names: WireNames): JsonSchema {
  if (tool.provider) return tool.provider
  const { schema, strict } = wireTool(tool, profile)
  const fn: Body = { name: names.toWire(tool.name), description: wellFormed(tool.description), parameters: schema }
  if (strict) fn.strict = true
  return { type: 'function', function: fn }
}

function chatToolChoice(
  choice: NonNullable<ModelCall['toolChoice']>,
  profile: ModelProfile,
  names: WireNames,
): unknown {
  if (typeof choice === 'object') return { type: 'function', function: { name: names.toWire(choice.name) } }
  return choice === 'required' ? (profile.requiredWord ?? 'required') : choice
}

/** A tool's schema in the dialect of the profile; in its strict form if the tool wants that and there is one. */
export const wireTool = (tool: ToolDefinition, profile: ModelProfile): { schema: JsonSchema; strict: boolean } =>
  toDialect(tool, profile.dialect ?? 'openai')

// The dialect of a schema is kept by tool, and a format is one schema for many calls.
const formats = new WeakMap<JsonSchema, ToolDefinition>()

/** An output format as `{ name, schema, strict? }`, in the dialect of the profile. */
export function outputSchema(format: OutputFormat, profile: ModelProfile): Body {
  const name = format.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'output'
  const tool = formats.get(format.schema) ?? { name, description: '', inputSchema: format.schema, strict: true }
  formats.set(format.schema, tool)
  const { schema, strict } = wireTool(tool, profile)
  return strict ? { name, schema, strict } : { name, schema }
}
