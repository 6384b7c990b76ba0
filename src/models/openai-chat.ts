import { chatBody } from './chat-body.js'
import { type EndMark, watchEndMark } from './end-mark.js'
import type { Model, ModelCall } from './model.js'
import { type Adapter, connect, type OpenaiOptions } from './openai-client.js'
import {
  answerOf,
  type Create,
  forEachChunk,
  isIterable,
  isJson,
  type OpenRequest,
  responseOf,
  show,
} from './openai-request.js'
import { isFields } from './reply-facts.js'
import { jsonIn, misshapen, type Origin } from './reply-failure.js'
import { type Reply, ReplyReader } from './stream-reader.js'
import { wireNames } from './wire-names.js'

/** The part of an `openai` client that is called. */
export interface ChatClient {
  readonly chat: { readonly completions: { create(body: object, options?: object): PromiseLike<unknown> } }
}

/** Options of {@link openaiChat}. */
export type OpenaiChatOptions = OpenaiOptions<ChatClient>

const ADAPTER: Adapter = { subject: 'openaiChat()', path: ['chat', 'completions', 'create'] }

/**
 * A model behind OpenAI's chat completions, or any server that speaks them. The `openai` package is loaded by the first
 * call. Never retries: a failure is a `ModelError` with `retryable` and `retryAfterMs`.
 *
 * @throws ConfigError if the name or a key is missing, or an option is unknown or not what it must be
 * @see https://platform.openai.com/docs/api-reference/chat
 * @example
 * const model = openaiChat({ model: 'qwen3', baseURL: 'http://localhost:8000/v1' })
 */
export function openaiChat(options: OpenaiChatOptions): Model {
  const connection = connect<ChatClient>(options, ADAPTER, (openai) => openai)
  const { provider, profile } = connection
  const origin: Origin = { provider, model: options.model }

  return {
    provider,
    id: options.model,
    profile,
    async generate(call) {
      call.signal.throwIfAborted()
      // Loading the package is no silence of the provider.
      const { completions } = (await connection.client()).chat
      const request = connection.open(call)
      let complete = false
      try {
        const names = wireNames(call.tools, call.messages)
        const body = chatBody(call, options.model, profile, names)
        const reader = new ReplyReader(names, profile, origin)
        const create: Create = (...args) => completions.create(...args)
        const reply = call.streaming
          ? await streamed(create, body, request, reader, call, origin)
          : whole(await request.wait(create(body, request.options)), reader, origin)
        complete = true
        return responseOf(reply)
      } finally {
        request.dispose(complete)
      }
    },
  }
}

async function streamed(
  create: Create,
  body: object,
  request: OpenRequest,
  reader: ReplyReader,
  call: ModelCall,
  origin: Origin,
): Promise<Reply> {
  const { data, response } = await answerOf(create(body, request.options), request)
  // Asked for a stream, some servers and most stand-ins of a client answer with the whole reply.
  if (response && isJson(response)) return shown(whole(await request.wait(response.text()), reader, origin), call)
  if (!isIterable(data)) return shown(whole(data, reader, origin), call)

  const mark: EndMark = response ? watchEndMark(response) : { seen: false }
  request.begin()
  await forEachChunk(data, request, (chunk) => show(reader.push(chunk), call))
  return shown(reader.end(mark.seen), call)
}

async function shown(reply: Reply, call: ModelCall): Promise<Reply> {
  await show(reply.deltas, call)
  return reply
}

/** Reads a reply that came as one: a chat completion, or its text. Its deltas are all that there is to show. */
function whole(data: unknown, reader: ReplyReader, origin: Origin): Reply {
  const completion = typeof data === 'string' ? jsonIn(data) : data
  const isReply =
    isFields(completion) && (Array.isArray(completion.choices) || completion.error || completion.object === 'error')
  if (!isReply) throw misshapen('a chat completion with choices', data, origin)
  const deltas = reader.push(completion)
  const reply = reader.end(true)
  return { ...reply, deltas: [...deltas, ...reply.deltas] }
}
