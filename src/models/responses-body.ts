import type { AssistantMessage, Message, Part, ToolMessage } from '../messages.js'
import { callsOf, textOf } from '../messages.js'
import { type Body, outputSchema, temperatureOf, wireTool } from './chat-body.js'
import type { JsonSchema, ModelCall, ModelProfile, ToolDefinition } from './model.js'
import { isFields } from './reply-facts.js'
import { textOfItems } from './responses-reader.js'
import { argumentsOf, partsOf, resultText, systemParts } from './wire.js'
import { wireIds } from './wire-ids.js'
import type { WireNames } from './wire-names.js'
import { hasText, wellFormed } from './wire-text.js'

/** What the body of a response is built with beside the call. */
export interface ResponsesBodyOptions {
  readonly model: string
  readonly profile: ModelProfile
  readonly names: WireNames
  readonly store: boolean
  readonly encryptedReasoning: boolean
}

/**
 * The body of a responses request. The whole history goes as input, so that nothing depends on what the provider has
 * stored. `stop` and `seed` have no word here and are left out; `settings.extraBody` is laid over it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesBody(call: ModelCall, options: ResponsesBodyOptions): Body {
  const { model, profile, names, store } = options
  const { settings } = call
  const body: Body = { model, input: responsesInput(call, options), store }
  const instructions = systemParts(call).flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
  if (instructions.length > 0) body.instructions = wellFormed(instructions.join('\n\n'))
  if (options.encryptedReasoning && !store) body.include = ['reasoning.encrypted_content']
  if (call.tools.length > 0) {
    body.tools = call.tools.map((tool) => responsesTool(tool, profile, names))
    if (call.toolChoice !== undefined) body.tool_choice = toolChoice(call, names)
    if (settings.parallelToolCalls !== undefined) body.parallel_tool_calls = settings.parallelToolCalls
  }
  if (call.outputFormat) body.text = { format: { type: 'json_schema', ...outputSchema(call.outputFormat, profile) } }
  if (settings.temperature !== undefined) body.temperature = temperatureOf(settings.temperature, profile)
  if (settings.topP !== undefined) body.top_p = settings.topP
  if (settings.maxTokens !== undefined) body.max_output_tokens = settings.maxTokens
  if (settings.reasoningEffort !== undefined) body.reasoning = { effort: settings.reasoningEffort }
  if (call.streaming) body.stream = true
  return settings.extraBody ? Object.assign(body, settings.extraBody) : body
}

function responsesTool(tool: ToolDefinition, profile: ModelProfile, names: WireNames): JsonSchema {
  if (tool.provider) return tool.provider
  const { schema, strict } = wireTool(tool, profile)
  const description = wellFormed(tool.description)
  // Left out, `strict` means true here.
  return { type: 'function', name: names.toWire(tool.name), description, parameters: schema, strict }
}

function toolChoice(call: ModelCall, names: WireNames): unknown {
  const choice = call.toolChoice
  if (typeof choice !== 'object') return choice
  const builtIn = call.tools.find((tool) => tool.provider && tool.name === choice.name)?.provider
  return builtIn ? { type: builtIn.type } : { type: 'function', name: names.toWire(choice.name) }
}

/** The messages of a call as input items. System messages are not among them: they are the instructions. */
export function responsesInput(call: ModelCall, options: ResponsesBodyOptions): unknown[] {
  const toWireId = wireIds(options.profile)
  const input: unknown[] = []
  for (const message of call.messages) {
    if (message.role === 'user') input.push({ role: 'user', content: inputContent(message) })
    else if (message.role === 'assistant') input.push(...assistantItems(message, options, toWireId))
    else if (message.role === 'tool') {
      input.push({ type: 'function_call_output', call_id: toWireId(message.tool_call_id), output: outputOf(message) })
    }
  }
  return input
}

function inputContent(message: Message & { role: 'user' }): unknown {
  if (typeof message.content === 'string') return hasText(message.content) ? wellFormed(message.content) : '(empty)'
  const parts = partsOf(message.content)
  return parts.length === 0 ? '(empty)' : parts.map(inputPart)
}

/** The result of a call: its text, or a list of parts if some are no text, which this protocol takes in place. */
function outputOf(message: ToolMessage): unknown {
  const others: Part[] = []
  const text = resultText(message, others)
  if (others.length === 0 || typeof message.content === 'string') return text
  return partsOf(message.content).map(inputPart)
}

/** A chat content part as an input part; one that is no chat part stays as it is. */
function inputPart(part: Part): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: wellFormed(String(part.text)) }
    case 'image_url': {
      const image = isFields(part.image_url) ? part.image_url : { url: part.image_url }
      return { type: 'input_image', image_url: image.url, detail: image.detail ?? 'auto' }
    }
    case 'file':
      return { type: 'input_file', ...(isFields(part.file) ? part.file : {}) }
    default:
      return part
  }
}

function assistantItems(
  message: AssistantMessage,
  options: ResponsesBodyOptions,
  toWireId: (id: string) => string,
): unknown[] {
  const calls = new Map(
    callsOf(message).map((call) => [
      call.id,
      {
        type: 'function_call',
        call_id: toWireId(call.id),
        name: options.names.toWire(call.function.name),
        arguments: argumentsOf(call),
      },
    ]),
  )
  const kept = keptItems(message, calls)
  if (kept) {
    return kept.flatMap((item) => {
      // What the provider has not stored it knows only by the encrypted form.
      if (item.type === 'reasoning' && !options.store && !item.encrypted_content) return []
      // The stored call counts, as a person may have edited its arguments.
      return item.type === 'function_call' ? [{ ...item, ...calls.get(String(item.call_id)) }] : [item]
    })
  }
  const text = textOf(message.content ?? '') || (message.refusal ?? '')
  const content = hasText(text) ? wellFormed(text) : calls.size === 0 ? '(empty)' : undefined
  return [...(content === undefined ? [] : [{ role: 'assistant', content }]), ...calls.values()]
}

/** The verbatim items of a message, if its text and its calls are still those of the items. */
function keptItems(message: AssistantMessage, calls: ReadonlyMap<string, unknown>): JsonSchema[] | undefined {
  if (!Array.isArray(message.response_items)) return undefined
  const items = message.response_items.filter(isFields)
  const ids = items.filter((item) => item.type === 'function_call').map((item) => String(item.call_id))
  const isSame = ids.length === calls.size && ids.every((id) => calls.has(id))
  return isSame && textOfItems(items, 'output_text', 'text') === textOf(message.content ?? '') ? items : undefined
}
