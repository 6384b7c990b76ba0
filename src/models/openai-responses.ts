import { BOOLEAN } from '../internal/check.js'
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
import { jsonIn } from './reply-failure.js'
import { responsesBody } from './responses-body.js'
import { ResponseReader } from './responses-reader.js'
import type { Reply } from './stream-reader.js'
import { wireNames } from './wire-names.js'

/** The part of an `openai` client that is called. */
export interface ResponsesClient {
  readonly responses: { create(body: object, options?: object): PromiseLike<unknown> }
}

/** Options of {@link openaiResponses}. */
export interface OpenaiResponsesOptions extends OpenaiOptions<ResponsesClient> {
  /** Whether the provider keeps the response. @default false: the thread is the only record */
  readonly store?: boolean
  /**
   * Whether reasoning is asked for in encrypted form, to be sent back in the next turns; of use without `store` only,
   * and refused by models that do not reason.
   * @default true for names that begin with `o` and a digit, `gpt-5` or a later number, or hold `codex`
   */
  readonly encryptedReasoning?: boolean
}

const ADAPTER: Adapter = {
  subject: 'openaiResponses()',
  path: ['responses', 'create'],
  rules: { store: BOOLEAN, encryptedReasoning: BOOLEAN },
}

/** Names of OpenAI's models that reason. */
const REASONS = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|.*codex)/

/**
 * A model behind OpenAI's responses API: reasoning goes back with the calls that it led to, and the provider's own
 * tools (`ToolDefinition.provider`) run there. The history is sent whole. The `openai` package is loaded by the first
 * call. Never retries: a failure is a `ModelError` with `retryable` and `retryAfterMs`.
 *
 * @throws ConfigError if the name or a key is missing, or an option is unknown or not what it must be
 * @see https://platform.openai.com/docs/api-reference/responses
 * @example
 * const model = openaiResponses({ model: 'gpt-5.4' })
 */
export function openaiResponses(options: OpenaiResponsesOptions): Model {
  const connection = connect<ResponsesClient>(options, ADAPTER, (openai) => openai)
  const { provider, profile } = connection
  const store = options.store ?? false
  const encryptedReasoning = options.encryptedReasoning ?? REASONS.test(options.model)

  return {
    provider,
    id: options.model,
    profile,
    async generate(call) {
      call.signal.throwIfAborted()
      // Loading the package is no silence of the provider.
      const { responses } = await connection.client()
      const request = connection.open(call)
      let complete = false
      try {
        const names = wireNames(call.tools, call.messages)
        const body = responsesBody(call, { model: options.model, profile, names, store, encryptedReasoning })
        const reader = new ResponseReader(names, { provider, model: options.model })
        const create: Create = (...args) => responses.create(...args)
        const reply = call.streaming
          ? await streamed(create, body, request, reader, call)
          : whole(await request.wait(create(body, request.options)), reader)
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
  reader: ResponseReader,
  call: ModelCall,
): Promise<Reply> {
  const { data, response } = await answerOf(create(body, request.options), request)
  if (response && isJson(response)) return shown(whole(jsonIn(await request.wait(response.text())), reader), call)
  if (!isIterable(data)) return shown(whole(data, reader), call)
  request.begin()
  await forEachChunk(data, request, (event) => show(reader.push(event), call))
  return reader.end()
}

function whole(response: unknown, reader: ResponseReader): Reply {
  reader.read(response)
  return reader.end()
}

/** Shows a reply that came as one. */
async function shown(reply: Reply, call: ModelCall): Promise<Reply> {
  const { message } = reply
  if (typeof message.reasoning === 'string') await call.emit({ type: 'reasoning', text: message.reasoning })
  if (message.content) await call.emit({ type: 'text', text: String(message.content) })
  for (const { id, function: fn } of message.tool_calls ?? []) {
    await call.emit({ type: 'tool-args', toolCallId: id, name: fn.name, text: fn.arguments })
  }
  return reply
}
