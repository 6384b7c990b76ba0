// What one would write by hand: the loop, the same validation, no more.
import type { AssistantMessage, Message, WireToolCall } from 'cepa'
import { add, schema } from './work.js'

/** Calls the model until it asks for no more tools; gives its text. */
export async function handLoop(
  input: string,
  callModel: (messages: readonly Message[]) => Promise<AssistantMessage>,
): Promise<unknown> {
  const messages: Message[] = [{ role: 'user', content: input }]
  for (;;) {
    const message = await callModel(messages)
    messages.push(message)
    if (!message.tool_calls) return message.content
    messages.push(...(await Promise.all(message.tool_calls.map(runTool))))
  }
}

async function runTool({ id, function: { arguments: text } }: WireToolCall): Promise<Message> {
  const parsed = schema.safeParse(JSON.parse(text))
  const content = parsed.success ? JSON.stringify(await add(parsed.data)) : parsed.error.message
  return { role: 'tool', tool_call_id: id, content }
}
