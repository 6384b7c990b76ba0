import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock'
import { type Model, textOf } from 'cepa'
import { openaiChat } from 'cepa/models/openai-chat'
import { answer, CAN_DO } from './phrases.js'
import { readQuestion, type Wish } from './question.js'

/** A model server on this machine that understands a few questions by their words, and the model that talks to it. */
export interface StandIn {
  readonly model: Model
  close(): Promise<void>
}

/** Starts it on a free port of the loopback. The `openai` client talks to it as it would to any provider. */
export async function startStandIn(): Promise<StandIn> {
  const server = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 12, latency: 5 })
  server.addFixture({ match: { predicate: () => true }, response: respond })
  await server.start()
  return {
    model: openaiChat({ model: 'stand-in', baseURL: `${server.url}/v1`, apiKey: 'none', provider: 'offline' }),
    close: () => server.stop(),
  }
}

/** One reply: call the tool that the question wants, or say what it gave. */
export function respond(request: ChatCompletionRequest) {
  const asked = request.messages.findLastIndex(({ role }) => role === 'user')
  const wishes = readQuestion(questionAt(request.messages, asked))
  const since = request.messages.slice(asked + 1)
  const called = since.flatMap((message) => message.tool_calls ?? [])
  const results = since.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content ?? ''))

  if (wishes.length === 0) return { content: `I did not understand that. ${CAN_DO}` }
  const failed = results.some((text) => /^(Error|Sorry)\b/.test(text))
  const open = failed ? [] : wishes.filter((wish) => !called.some((call) => call.function.name === wish.tool))
  const [next] = open
  if (!next) return { content: called.map((call, at) => answer(call.function.name, results[at] ?? '')).join(' ') }

  const offered = (request.tools ?? []).map((tool) => tool.function.name)
  const missing = missingPart(next, offered)
  if (missing) return { content: missing }
  const calls = open.filter(({ tool }) => tool === next.tool)
  return { toolCalls: calls.map(({ tool, args }) => ({ name: tool, arguments: JSON.stringify(args) })) }
}

/** A question, with the one before it where this one only answers what was asked back. */
function questionAt(messages: ChatCompletionRequest['messages'], at: number): string {
  const text = textOf(messages[at]?.content ?? '')
  const askedBack = at >= 2 && /^Which (?:city|order)/.test(textOf(messages[at - 1]?.content ?? ''))
  return askedBack && readQuestion(text).length === 0 ? `${textOf(messages[at - 2]?.content ?? '')} in ${text}` : text
}

/** What stands in the way of a call, in words; `undefined` if nothing does. */
function missingPart({ tool, needs }: Wish, offered: readonly string[]): string | undefined {
  if (needs) return needs
  // A real model may name a tool that it is not offered. This one does so with refunds, to show what comes of it.
  if (offered.includes(tool) || tool === 'refund_order') return undefined
  if (tool === 'log_in') return 'You are logged in already.'
  if (tool === 'gift_ideas') return 'Gift ideas are a feature that is not switched on for you.'
  return 'For that you must log in first. Try: "I am Ada, PIN 4711."'
}
