import { createAgent } from 'cepa'
import { openaiChat } from 'cepa/models/openai-chat'
import { startProvider } from '../fixtures/provider-server.js'

type Options = Omit<Parameters<typeof createAgent>[0], 'model'>

/** A reply of a provider, as a message. */
export const completion = (message: Record<string, unknown>): Record<string, unknown> => ({
  choices: [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' },
  ],
})

/** A tool call in a reply. */
export const wireCall = (id: string, name: string, args: unknown = {}): Record<string, unknown> => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
})

/** Runs an agent against a local server in the provider's place; gives the result and the bodies of its requests. */
export async function overTheWire(replies: readonly Record<string, unknown>[], options: Options, input = 'hi') {
  const provider = await startProvider(replies.map((message) => ({ body: completion(message) })))
  try {
    const model = openaiChat({ model: 'm', baseURL: provider.url })
    const result = await createAgent({ ...options, model }).invoke(input)
    return { result, bodies: provider.requests.map(({ body }) => body) }
  } finally {
    await provider.close()
  }
}
