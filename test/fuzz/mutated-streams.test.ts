import { describe, expect, it } from 'vitest'
import { isAgentError } from '../../src/errors.js'
import type { Delta } from '../../src/events.js'
import type { Model } from '../../src/models/model.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { openaiResponses } from '../../src/models/openai-responses.js'
import { CHAT_STREAMS } from '../fixtures/chat-streams.js'
import { RESPONSE_STREAMS } from '../fixtures/response-streams.js'
import { bodyOf, fetchOf } from '../fixtures/sse.js'
import { modelCall, tool } from '../models/call.js'
import { mutate, pieces } from './mutate.js'
import { randomFrom } from './random.js'

// FUZZ sets the number of mutations, SEED repeats a run.
const COUNT = Number(process.env.FUZZ ?? 1500)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
/** No reply of these streams takes longer than a few milliseconds. */
const HANG_MS = 5000

let body: readonly Uint8Array[] = []
const options = { model: 'm', baseURL: 'http://127.0.0.1:1/v1', provider: 'local', fetch: fetchOf(() => bodyOf(body)) }
const chat = openaiChat({ ...options, profile: { thinkTags: true } })
const CORPUS: readonly { readonly text: string; readonly model: Model }[] = [
  ...CHAT_STREAMS.map(({ text }) => ({ text, model: chat })),
  ...RESPONSE_STREAMS.map(({ text }) => ({ text, model: openaiResponses(options) })),
]
const tools = [tool('f'), tool('g')]

/** Reads one mutated stream and says what is wrong with the outcome, if anything is. */
async function faultOf(model: Model): Promise<string | undefined> {
  const deltas: Delta[] = []
  const signal = AbortSignal.timeout(HANG_MS)
  const call = modelCall({ tools, streaming: true, signal, emit: (delta) => void deltas.push(delta) })
  try {
    const { message, finishReason } = await model.generate(call)
    if (message.role !== 'assistant') return `role ${message.role}`
    if (message.content !== null && typeof message.content !== 'string') return `content ${typeof message.content}`
    const calls = message.tool_calls ?? []
    if (message.content === null && calls.length === 0) return 'null beside no call'
    if (calls.some(({ id, function: fn }) => !id || typeof fn.name !== 'string' || typeof fn.arguments !== 'string'))
      return 'a call without its parts'
    if (new Set(calls.map(({ id }) => id)).size !== calls.length) return 'an id twice'
    if (message.tool_calls?.length === 0) return 'an empty list of calls'
    return typeof finishReason === 'string' ? undefined : 'no finish reason'
  } catch (error) {
    if (signal.aborted) return 'a hang'
    return isAgentError(error) ? undefined : `an error that is not typed: ${String(error)}`
  }
}

describe('mutated streams', () => {
  it(
    `end in a result or a typed error (${COUNT} mutations, SEED=${SEED})`,
    async () => {
      const random = randomFrom(SEED)
      for (let index = 0; index < COUNT; index += 1) {
        const { text, model } = CORPUS[random(CORPUS.length)]!
        const other = CORPUS[random(CORPUS.length)]!.text
        const mutated = mutate(text, other, random)
        body = pieces(mutated, random)
        const fault = await faultOf(model)
        if (fault)
          expect.fail(
            `${fault}: mutation ${index} of SEED=${SEED}: ${JSON.stringify(new TextDecoder().decode(mutated))}`,
          )
      }
    },
    Math.max(30_000, COUNT * 20),
  )

  it(`never complete a call that was cut (SEED=${SEED})`, async () => {
    for (const { text, model } of CORPUS) {
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += 3) {
        body = [bytes.subarray(0, at)]
        const outcome = await model.generate(modelCall({ tools, streaming: true })).catch((error: unknown) => error)
        if (isAgentError(outcome)) continue
        // Behind a finish reason a cut takes away usage or the mark, never a part of a call.
        const { message } = outcome as Awaited<ReturnType<Model['generate']>>
        for (const { function: fn } of message.tool_calls ?? []) expect(() => JSON.parse(fn.arguments)).not.toThrow()
      }
    }
  })
})
