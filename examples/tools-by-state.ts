// Tools chosen by the state. Run: npx tsx --conditions=@cepa/source examples/tools-by-state.ts
import { assistant, createAgent, createMiddleware, tool, user } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { z } from 'zod'

const search = (name: string) =>
  tool(({ query }) => `${name} found: ${query}`, {
    name,
    description: `Searches, ${name.replace('_', ' ')}.`,
    schema: z.object({ query: z.string() }),
  })

// This app sets the field by the input of a run, so it must hand on text alone of what a client sends. A field that only
// hooks and tools may set is `field(schema, { hidden: true })`.
const byState = createMiddleware({
  name: 'by-state',
  stateSchema: { authenticated: z.boolean().default(false) },
  wrapModelCall: (request, handler) => {
    const { authenticated, messages } = request.state
    const tools = request.tools.filter(({ name }) => {
      if (!authenticated) return name.startsWith('public_')
      return messages.length >= 5 || name !== 'advanced_search'
    })
    return handler(request.override({ tools }))
  },
})

const tools = [search('public_search'), search('private_search'), search('advanced_search')]

// Offline: this model says what it is offered. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel((call) => `I am offered ${call.tools.map(({ name }) => name).join(', ')}.`)
const agent = createAgent({ model, tools, middleware: [byState] })

const guest = await agent.invoke('Hello')
console.log(`guest: ${guest.output}`)
const fresh = await agent.invoke({ messages: [user('Hello')], authenticated: true })
console.log(`logged in: ${fresh.output}`)
const talk = [user('1'), assistant('2'), user('3'), assistant('4'), user('5')]
const later = await agent.invoke({ messages: talk, authenticated: true })
console.log(`later in the conversation: ${later.output}`)

// What is not offered cannot run, even if the model names it.
const stubborn = scriptedModel([{ toolCalls: [toolCall('private_search', { query: 'salaries' })] }, 'I could not.'])
const { messages } = await createAgent({ model: stubborn, tools, middleware: [byState] }).invoke('Search anyway')
const result = messages.find(({ role }) => role === 'tool')
console.log(`hidden tool: ${result?.content}`)
