import type { Delta } from '../../src/events.js'
import type { ModelCall, ToolDefinition } from '../../src/models/model.js'

/** A model call with nothing in it but what a test gives. */
export const modelCall = (given: Partial<ModelCall> = {}): ModelCall => ({
  messages: [{ role: 'user', content: 'hi' }],
  systemPrompt: '',
  tools: [],
  toolChoice: undefined,
  outputFormat: undefined,
  settings: {},
  emit: () => {},
  streaming: false,
  signal: new AbortController().signal,
  ...given,
})

/** A streamed call, and the deltas that it shows. */
export function listening(given: Partial<ModelCall> = {}): { call: ModelCall; deltas: Delta[] } {
  const deltas: Delta[] = []
  const emit = (delta: Delta): void => void deltas.push(delta)
  return { call: modelCall({ streaming: true, emit, ...given }), deltas }
}

/** A tool as a model sees it. */
export const tool = (name: string, given: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: {} },
  ...given,
})
