import type { Delta } from '../../src/events.js'
import type { ModelCall, ModelProfile, ModelResponse } from '../../src/models/model.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { fetchOf, sse } from '../fixtures/sse.js'
import { listening, modelCall, tool } from './call.js'

/** What a reply is read with. */
export interface Reading {
  tools?: readonly string[]
  profile?: ModelProfile
  call?: Partial<ModelCall>
}

const chat = (fetch: typeof globalThis.fetch, profile: ModelProfile = {}) =>
  openaiChat({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', provider: 'local', fetch, profile })

const offered = ({ tools = ['f', 'g'], call }: Reading): Partial<ModelCall> => ({
  tools: tools.map((name) => tool(name)),
  ...call,
})

/** Reads events, or the text of a stream, through the real client. */
export async function stream(
  events: readonly unknown[] | string,
  reading: Reading = {},
): Promise<ModelResponse & { deltas: Delta[] }> {
  const text = typeof events === 'string' ? events : sse(events)
  const { call, deltas } = listening(offered(reading))
  return {
    ...(await chat(
      fetchOf(() => text),
      reading.profile,
    ).generate(call)),
    deltas,
  }
}

/** Reads a reply that is not streamed, through the real client. */
export function unstreamed(
  message: Record<string, unknown>,
  finish: string | null = 'stop',
  reading: Reading = {},
): Promise<ModelResponse> {
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }] })
  return chat(
    fetchOf(() => body, 'application/json'),
    reading.profile,
  ).generate(modelCall(offered(reading)))
}

/** The calls of a reply as `name(arguments)`, in order. */
export const callsIn = ({ message }: ModelResponse): string[] =>
  (message.tool_calls ?? []).map(({ function: fn }) => `${fn.name}(${fn.arguments})`)

/** The ids of the calls of a reply. */
export const idsIn = ({ message }: ModelResponse): string[] => (message.tool_calls ?? []).map(({ id }) => id)

/** The text that deltas of one type show. */
export const shown = (deltas: readonly Delta[], type: 'text' | 'reasoning' | 'tool-args'): string =>
  deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')
