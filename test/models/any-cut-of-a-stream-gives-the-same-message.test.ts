import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/models/openai-chat.js'
import { CHAT_STREAMS, type ChatStream } from '../fixtures/chat-streams.js'
import { bodyOf, cutBody, fetchOf } from '../fixtures/sse.js'
import { listening, tool } from './call.js'

// The bytes go through the real client's decoder: only its `fetch` is ours.
function player(stream: ChatStream) {
  let body: () => ReadableStream<Uint8Array> = () => bodyOf([])
  const model = openaiChat({
    model: 'm',
    baseURL: 'http://127.0.0.1:1/v1',
    fetch: fetchOf(() => body()),
    ...(stream.profile ? { profile: stream.profile } : {}),
  })
  return async (made: () => ReadableStream<Uint8Array>) => {
    body = made
    const { call, deltas } = listening({ tools: (stream.tools ?? ['f', 'g']).map((name) => tool(name)) })
    const { message, finishReason, usage } = await model.generate(call)
    const shown = { text: '', reasoning: '', args: '' }
    for (const delta of deltas) {
      if (delta.type === 'tool-args') shown.args += delta.text
      else if (delta.type !== 'reset') shown[delta.type] += delta.text
    }
    return { message, finishReason, usage, shown }
  }
}

const expected = ({ message, finishReason, usage }: ChatStream) => ({
  message,
  finishReason,
  usage,
  shown: {
    text: message.content ?? '',
    reasoning: message.reasoning ?? '',
    args: ((message.tool_calls ?? []) as { function: { arguments: string } }[])
      .map((call) => call.function.arguments)
      .join(''),
  },
})

describe.each(CHAT_STREAMS)('$family', (stream) => {
  const bytes = new TextEncoder().encode(stream.text)
  const play = player(stream)

  it('is read whole, and byte by byte', async () => {
    expect(await play(() => bodyOf([bytes]))).toEqual(expected(stream))
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    expect(await play(() => bodyOf(single))).toEqual(expected(stream))
  })

  it('cases 93, 94: is the same for a cut at each of its bytes', async () => {
    const right = JSON.stringify(expected(stream))
    const wrong: unknown[] = []
    for (let at = 1; at < bytes.length; at += 1) {
      const got = await play(() => cutBody(bytes, at))
      if (JSON.stringify(got) !== right) wrong.push({ at, got })
    }
    expect(wrong.slice(0, 2)).toEqual([])
  })
})
