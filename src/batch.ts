import { ConfigError, got, isAgentError } from './errors.js'
import { Interruption } from './interrupt.js'
import type { LiveToolCallRequest } from './live-requests.js'
import { ownMessage, type ToolMessage } from './messages.js'
import type { ToolCallRequest, ToolResult } from './requests.js'
import type { OwnedUpdate } from './state.js'
import type { Settled, ToolCall } from './tool-call.js'
import { errorText } from './tools/error-text.js'
import { schedule } from './tools/schedule.js'

/** What becomes of an exception that leaves a tool's onion: an error result, or with `'throw'` the end of the run. */
export type ToolErrors =
  | 'throw'
  | ((error: unknown, request: ToolCallRequest) => string | ToolMessage | Promise<string | ToolMessage>)

/** What a batch needs of the turn. */
export interface BatchHost {
  readonly toolErrors: ToolErrors | undefined
  readonly toolConcurrency: number
  readonly toolLayers: number
  runTool(request: LiveToolCallRequest): Promise<ToolResult>
  readonly nextMessageId: () => string
  /** Hides known secrets in what leaves. */
  scrub<T>(value: T): T
}

/** Runs the calls of a turn: in parallel, but never beside a sequential tool, and no more at once than allowed. */
export function runBatch(calls: readonly ToolCall[], host: BatchHost): Promise<void> {
  const first = calls[0]
  if (first && calls.length === 1) return settle(first, host)
  return schedule({
    count: calls.length,
    concurrency: host.toolConcurrency,
    isSequential: (index) => calls[index]?.tool?.sequential === true,
    run: (index) => settle(calls[index] as ToolCall, host),
  })
}

/** The outer edge of a tool call: outside every layer, what is thrown becomes a result, or ends the run. */
async function settle(call: ToolCall, host: BatchHost): Promise<void> {
  const { turn, view } = call
  const { ledger, scope } = turn
  const request = call.request()
  if (ledger.listening) {
    await ledger.notify({ type: 'tool-start', toolCall: { id: view.id, name: view.name, args: view.args } })
  }
  try {
    // A layer that never settles must not hold an abort up; without layers the core itself takes care.
    const running = host.runTool(request)
    call.settled = { result: bind(await (host.toolLayers > 0 ? scope.race(running) : running), call, host) }
  } catch (error) {
    if (error instanceof Interruption) {
      call.settled = { interrupts: error.interrupts }
      return
    }
    if (scope.aborted) return
    call.settled = await handled(error, call, request, host)
  }
  const message = call.settled.result?.message
  if (ledger.listening && message) await ledger.notify({ type: 'tool-result', message })
}

async function handled(error: unknown, call: ToolCall, request: ToolCallRequest, host: BatchHost): Promise<Settled> {
  const shown = (): ToolResult => ({ message: { ...EMPTY, content: errorText(error) } })
  // Wrong configuration and a lost thread are the app's to see, whatever the policy.
  const passes = isAgentError(error) && (error.code === 'CONFIG' || error.code === 'CONFLICT')
  if (passes || host.toolErrors === 'throw') return { result: bind(shown(), call, host), fatal: { error } }
  if (host.toolErrors === undefined) return { result: bind(shown(), call, host) }
  try {
    const mapped = host.toolErrors(error, request)
    const given = mapped instanceof Promise ? await call.turn.scope.race(mapped) : mapped
    if (typeof given !== 'string' && !isContent(given?.content)) {
      throw new ConfigError(`toolErrors: expected a text or a toolMessage(…), got ${got(given)}`)
    }
    const message =
      typeof given === 'string' ? { ...EMPTY, content: given } : { ...given, status: given.status ?? 'error' }
    return { result: bind({ message }, call, host) }
  } catch (thrown) {
    return { result: bind(shown(), call, host), fatal: { error: thrown } }
  }
}

const isContent = (value: unknown): boolean => typeof value === 'string' || Array.isArray(value)

const EMPTY: ToolMessage = { role: 'tool', tool_call_id: '', content: '', status: 'error' }

/** Binds a result to its call: whatever id it carries, it answers this one. */
function bind(
  { message, updates, goto, stopReason }: ToolResult,
  call: ToolCall,
  host: BatchHost,
): NonNullable<Settled['result']> {
  const { id, name } = call.view
  const { content, status = 'success', artifact, metadata } = host.scrub(message)
  const bound: ToolMessage = { role: 'tool', tool_call_id: id, name, content, status, id: host.nextMessageId() }
  if (artifact !== undefined) bound.artifact = artifact
  if (metadata !== undefined) bound.metadata = metadata
  const simple = typeof content === 'string' && artifact === undefined && metadata === undefined
  return {
    message: simple ? Object.freeze(bound) : ownMessage(bound, host.nextMessageId),
    updates: updates === undefined ? NO_UPDATES : updates.map((values) => ({ owner: `tool "${name}"`, values })),
    goto,
    stopReason,
  }
}

const NO_UPDATES: readonly OwnedUpdate[] = Object.freeze([])
