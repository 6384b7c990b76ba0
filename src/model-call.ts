import { ConfigError, got, ModelError, StepError } from './errors.js'
import type { Delta } from './events.js'
import { freezeDeep, thaw } from './internal/freeze.js'
import { newId } from './internal/id.js'
import { joined, type Scope } from './internal/scope.js'
import { checkUpdates, LiveModelRequest, type Surroundings } from './live-requests.js'
import type { Ledger } from './log/ledger.js'
import { type AssistantMessage, type Message, repairPairs, textOf, type WireToolCall } from './messages.js'
import type { Model, ModelCall, ModelResponse, ToolDefinition } from './models/model.js'
import type { Entry } from './onion.js'
import type { Show } from './show.js'
import { isNative, type OutputFormat, readAnswer, readFormat } from './structured.js'
import type { AnyTool } from './tools/tool.js'
import type { Usage } from './usage.js'

/** What the core of a model call needs of the turn that it belongs to. */
export interface ModelCallHost extends Surroundings {
  /** Throws if the run is aborted or the turn over. */
  check(): void
  readonly scope: Scope
  /** The messages of the state as the turn's request was given them: known to be well paired. */
  readonly paired: readonly Message[]
  /** Whether a system message may be among them. */
  readonly hasSystem: boolean
  /** Whether tools have run in this run already, so that a forced choice is over. */
  readonly toolsRan: boolean
  /** Whether the last answer had to be asked for again. */
  readonly repairing: boolean
  /** What is on show, where somebody listens. */
  readonly show: Show | undefined
  readonly ledger: Ledger
  resolve(model: Model | string): Model | Promise<Model>
}

/** What a reply was offered: the tools of the request that produced it, and the structured answer asked for. */
export interface Offer {
  readonly tools: readonly AnyTool[]
  readonly format: OutputFormat | undefined
  /** Whether the answer comes as a call; otherwise a call of that name is just an unknown one. */
  readonly byTool: boolean
}

const OFFER = Symbol.for('cepa.offer')

/** The offer that a response carries; a symbol key, so that it survives a spread. */
export const offerOf = (response: ModelResponse): Offer | undefined => (response as { [OFFER]?: Offer })[OFFER]

const marked = (response: ModelResponse, offer: Offer): ModelResponse =>
  ({ ...response, [OFFER]: offer }) as ModelResponse

/** What a request offers to a model. @throws ConfigError where a tool has the name of the answer's. */
function offerIn({ tools, responseFormat }: LiveModelRequest, model?: Model): Offer {
  const format = readFormat(responseFormat)
  if (format === undefined) return { tools, format, byTool: false }
  const { name } = format.tool
  if (tools.some((tool) => tool.name === name)) {
    throw new ConfigError(
      `the tool name "${name}" is taken by responseFormat: rename the tool with tool.with({ name })`,
    )
  }
  return { tools, format, byTool: !(model && isNative(format, model.profile, `${model.provider}:${model.id}`)) }
}

/** Takes what a layer gave back: a reply of its own making is offered what that layer's request offers. */
export function settleResponse(response: ModelResponse, layer: string, request: LiveModelRequest): ModelResponse {
  const message = (response as ModelResponse | undefined)?.message
  if (!isReply(message)) {
    throw new StepError(
      `wrapModelCall of "${layer}": expected a response { message: { role: 'assistant', … }, … }, got ${got(response)}; return what the handler gave, or reply(text)`,
      { code: 'LAYER_RESULT' },
    )
  }
  checkUpdates(response.updates, 'wrapModelCall', layer)
  return offerOf(response) ? response : marked(response, { ...offerIn(request), byTool: true })
}

/** The core of the model onion: the last pass before the wire, the call, and the record of what came of it. */
export async function modelCore(entry: Entry<LiveModelRequest>): Promise<ModelResponse> {
  const request = entry.request
  const host = LiveModelRequest.around(request) as ModelCallHost
  const { ledger } = host
  host.check()
  const named = host.resolve(request.model)
  const model = named instanceof Promise ? await host.scope.race(named) : named
  const { show } = host
  const attempt = show?.nextAttempt() ?? 1
  const { messageId } = request
  if (show) {
    if (attempt > 1 && show.isUsed(request.emit)) await request.emit({ type: 'reset' })
    await ledger.notify({ type: 'model-start', messageId, attempt, model: `${model.provider}:${model.id}` })
  }
  const scope = request.ownSignal ? joined(host.scope, request.ownSignal) : host.scope
  try {
    const offer = offerIn(request, model)
    const call = prepareCall(request, host, model, scope, attempt, offer)
    let response = marked(checkReply(await scope.race(model.generate(call)), model), offer)
    if (offer.format && response.structured === undefined) {
      const answer = await readAnswer(offer.format, response.message, offer.byTool)
      if (answer && 'value' in answer) response = { ...response, structured: answer.value }
    }
    const { message, finishReason } = response
    const usage = oneCall(response.usage)
    ledger.book(usage)
    if (ledger.keeps)
      await ledger.append({ kind: 'model', ...placeOf(entry, ledger), status: 'done', message, finishReason, usage })
    if (ledger.listening) await ledger.notify({ type: 'model-end', messageId, attempt, finishReason, usage })
    return response
  } catch (error) {
    ledger.book(ONE)
    const status = scope.aborted ? 'aborted' : 'failed'
    if (ledger.keeps) await ledger.append({ kind: 'model', ...placeOf(entry, ledger), status, error, usage: ONE })
    if (ledger.listening) await ledger.notify({ type: 'model-end', messageId, attempt, error, usage: ONE })
    throw error
  } finally {
    if (scope !== host.scope) scope.close()
  }
}

const placeOf = (entry: Entry<LiveModelRequest>, ledger: Ledger): { turn: number; path: string } => ({
  turn: ledger.turns,
  path: entry.path,
})

/** What a call has used whose reply says nothing of it. */
export const ONE: Usage = Object.freeze({ requests: 1 })

/** One entry of the core is one request, whatever the reply says of it. */
export const oneCall = (usage: Usage | undefined): Usage => (usage === undefined ? ONE : { ...usage, requests: 1 })

/** A model, or the one that a string names, made on its first use. Rejects with a ConfigError for a string that names none. */
export function resolveModel(model: Model | string, made: Map<string, Promise<Model>>): Model | Promise<Model> {
  if (typeof model !== 'string') return model
  const known = made.get(model)
  if (known) return known
  const named = import('./models/providers.js').then(({ modelFromString }) => modelFromString(model))
  made.set(model, named)
  named.catch(() => made.delete(model))
  return named
}

// Every layer of every call passes here, so parts are looked at where they are used.
const isReply = (message: unknown): message is AssistantMessage => {
  if (typeof message !== 'object' || message === null || (message as AssistantMessage).role !== 'assistant')
    return false
  const { content } = message as AssistantMessage
  return typeof content === 'string' || content === null || content === undefined || Array.isArray(content)
}

/** @throws ModelError for what is no reply. */
export function checkReply(response: ModelResponse, model: Model): ModelResponse {
  const message = (response as ModelResponse | undefined)?.message
  if (isReply(message)) return response
  throw new ModelError(
    `${model.provider}:${model.id}: expected generate() to give { message: { role: 'assistant', content, … }, finishReason }, got ${got(response)}`,
    {
      code: 'MODEL_RESPONSE',
      provider: model.provider,
    },
  )
}

/** The last pass before a model: paired messages, one system prompt, the tools, the form of the answer. */
function prepareCall(
  request: LiveModelRequest,
  host: ModelCallHost,
  model: Model,
  scope: Scope,
  attempt: number,
  { format, byTool }: Offer,
): ModelCall {
  checkTools(request.tools)
  const native = format !== undefined && !byTool
  const tools: readonly ToolDefinition[] =
    format === undefined || native ? request.tools : [...request.tools, format.tool]
  const untouched = request.messages === host.paired
  const messages = untouched ? request.messages : repairPairs(request.messages)
  const hoist = (!untouched || host.hasSystem) && model.profile.systemAnywhere !== true
  const forced = request.toolChoice === 'required' || typeof request.toolChoice === 'object'
  const answerNow = format !== undefined && !native && host.repairing
  return {
    messages: hoist ? messages.filter(({ role }) => role !== 'system') : messages,
    systemPrompt: hoist ? joinSystem(request.systemPrompt, messages) : request.systemPrompt,
    tools,
    toolChoice: answerNow ? { name: format.tool.name } : forced && host.toolsRan ? 'auto' : request.toolChoice,
    outputFormat: native ? { name: format.tool.name, schema: format.schema } : undefined,
    settings: request.settings,
    emit: request.streaming
      ? (delta: Delta) => {
          host.show?.stamp(attempt, request.emit)
          return request.emit(delta)
        }
      : request.emit,
    streaming: request.streaming,
    // No getter: V8 makes a hidden class for each object with one of its own, and that keeps the whole run alive.
    signal: scope.signal,
  }
}

const joinSystem = (prompt: string, messages: readonly Message[]): string =>
  [prompt, ...messages.map((message) => (message.role === 'system' ? textOf(message.content) : ''))]
    .filter((text) => text !== '')
    .join('\n\n')

const checked = new WeakSet<readonly AnyTool[]>()

/** Two tools of one name in a request would make a call ambiguous. @throws ConfigError naming both. */
function checkTools(tools: readonly AnyTool[]): void {
  if (checked.has(tools)) return
  const names = new Set<string>()
  for (const tool of tools) {
    if (names.has(tool.name)) {
      throw new ConfigError(
        `two tools named "${tool.name}" are offered in one request: rename one with tool.with({ name })`,
      )
    }
    names.add(tool.name)
  }
  if (Object.isFrozen(tools)) checked.add(tools)
}

/**
 * A reply as it enters the state: with its id, its calls whole. Calls without an id, or with one that is taken in this
 * reply, get a new one; a call without a name is left out, as nobody could answer for it.
 */
export function admitReply(message: AssistantMessage, id: string): AssistantMessage {
  const admitted: AssistantMessage = { role: 'assistant', content: message.content ?? null, id }
  for (const key of Object.keys(message)) {
    if (key === 'role' || key === 'id' || key === 'tool_calls') continue
    const value = message[key]
    admitted[key] = typeof value === 'object' && value !== null ? freezeDeep(thaw(value)) : value
  }
  const calls = admitCalls(message.tool_calls)
  if (calls.length > 0) admitted.tool_calls = calls
  admitted.content ??= calls.length > 0 ? null : ''
  return Object.freeze(admitted)
}

function admitCalls(asked: unknown): WireToolCall[] {
  if (!Array.isArray(asked) || asked.length === 0) return NO_CALLS
  const ids = asked.length > 1 ? new Set<string>() : undefined
  const calls: WireToolCall[] = []
  for (const call of asked as WireToolCall[]) {
    const { name, arguments: args } = call?.function ?? {}
    if (typeof name !== 'string' || name === '') continue
    const text = typeof args === 'string' ? args : args === undefined || args === null ? '' : JSON.stringify(args)
    const id = typeof call.id === 'string' && call.id !== '' && !ids?.has(call.id) ? call.id : `call_${newId()}`
    ids?.add(id)
    calls.push(Object.freeze(admitCall(call, id, name, text)))
  }
  Object.freeze(calls)
  return calls
}

/** Most calls have nothing but what the protocol names; what a provider adds is copied and kept. */
function admitCall(call: WireToolCall, id: string, name: string, text: string): WireToolCall {
  const isPlain = hasOnly(call, CALL_KEYS) && hasOnly(call.function, FUNCTION_KEYS)
  const fn = Object.freeze(isPlain ? { name, arguments: text } : { ...thaw(call.function), name, arguments: text })
  return isPlain ? { id, type: 'function', function: fn } : { ...thaw(call), id, type: 'function', function: fn }
}

const CALL_KEYS = ['id', 'type', 'function']
const FUNCTION_KEYS = ['name', 'arguments']

function hasOnly(value: object, keys: readonly string[]): boolean {
  for (const key in value) if (!keys.includes(key)) return false
  return true
}

const NO_CALLS: WireToolCall[] = []
