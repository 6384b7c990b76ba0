// A tool that runs where the user is. Run: npx tsx --conditions=@cepa/source examples/headless.ts
import { createAgent, type Message, tool, toolMessage } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

// On the server: a definition without a function.
const location = tool({
  name: 'geolocation',
  description: 'Where the user is, from the browser.',
  schema: z.object({ highAccuracy: z.boolean().default(false) }),
})

// Offline, so the model plays a script. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel([
  { toolCalls: [toolCall('geolocation', { highAccuracy: true })] },
  (call) => `You are at ${call.messages.at(-1)?.content}.`,
])
const agent = createAgent({ model, tools: [location] })

// The run ends with a question in place of an execution; its arguments are validated already.
const asked = await agent.invoke('Where am I?')
console.log(`${asked.stopReason}: ${JSON.stringify(asked.interrupts[0]?.payload.toolCall)}`)

// On the client, which has the function.
const onClient = async (args: unknown): Promise<string> => `59.91, 10.75 ${JSON.stringify(args)}`

const answers: Message[] = []
for (const { payload } of asked.interrupts) {
  const { id, args } = payload.toolCall
  answers.push({ ...toolMessage(await onClient(args)), tool_call_id: id })
}

// Without a checkpointer the caller keeps the history, and sends it with the answers.
const done = await agent.invoke([...asked.messages, ...asked.done, ...answers])
console.log(`${done.stopReason}: ${done.output}`)
console.log(done.messages.map(({ role }) => role).join(' '))
