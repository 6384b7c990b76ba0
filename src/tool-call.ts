import type { Goto } from './command.js'
import { AgentError, got, StepError, ToolInputError, ToolNotFoundError } from './errors.js'
import { distance } from './internal/distance.js'
import { thaw } from './internal/freeze.js'
import { joined, type Scope } from './internal/scope.js'
import { issuesText } from './internal/standard-schema.js'
import { type Interrupt, Interruption } from './interrupt.js'
import { checkUpdates, LiveToolCallRequest, type Surroundings } from './live-requests.js'
import type { Ledger } from './log/ledger.js'
import type { CallView, ToolMessage, WireToolCall } from './messages.js'
import type { Entry } from './onion.js'
import type { ToolCallRequest, ToolResult, Verdict } from './requests.js'
import type { RuntimeHost } from './runtime.js'
import type { OwnedUpdate } from './state.js'
import { parseArguments } from './tools/arguments.js'
import { type Body, runBody } from './tools/execute.js'
import type { ToolOutcome } from './tools/result.js'
import type { Secrets } from './tools/secrets.js'
import { type AnyTool, isTool } from './tools/tool.js'

/** A policy on the effective call. */
export type Policy = (request: ToolCallRequest & { readonly tool: AnyTool }) => Verdict | Promise<Verdict>

/** What a tool call needs of the turn and the run that it belongs to. */
export interface ToolCallHost extends Surroundings {
  /** Throws if the run is aborted or the turn over. */
  check(): void
  readonly scope: Scope
  readonly host: RuntimeHost & { readonly secrets: Secrets }
  readonly policies: readonly Policy[]
  readonly toolLayers: number
  /** What the model was offered. */
  readonly offered: readonly AnyTool[]
  readonly index: number
  readonly ledger: Ledger
}

/** How one call of a batch settled. A call without a result has a question open, or was cut off by an abort. */
export interface Settled {
  readonly result?: {
    readonly message: ToolMessage
    readonly updates: readonly OwnedUpdate[]
    readonly goto?: Goto | undefined
    readonly stopReason?: 'limit' | 'goto' | undefined
  }
  readonly interrupts?: readonly Interrupt[]
  /** Rejects the run, once the siblings have settled. */
  readonly fatal?: { readonly error: unknown }
}

const CUT_OFF: Settled = Object.freeze({})

/** One call of a batch: what its request, its runtime and its records have in common. */
export class ToolCall implements Surroundings {
  readonly wire: WireToolCall
  readonly turn: ToolCallHost
  /** Parsed arguments; `undefined` where the text is not complete JSON, and then `misfit` says why. */
  readonly view: CallView & { readonly arguments: string }
  readonly misfit: ToolInputError | undefined
  /** The tool that was offered under this name. */
  readonly tool: AnyTool | undefined
  /** How often the body was entered. */
  attempts = 0
  /** The tool whose body was entered last. */
  executed: AnyTool | undefined
  /** How the call settled; filled in by its batch. */
  settled: Settled = CUT_OFF
  readonly #args: unknown

  constructor(wire: WireToolCall, turn: ToolCallHost) {
    this.wire = wire
    this.turn = turn
    const { name, arguments: text } = wire.function
    const parsed = parseArguments(text)
    this.misfit = 'error' in parsed ? parsed.error : undefined
    this.#args = 'error' in parsed ? undefined : parsed.args
    // Whoever looks on gets frozen arguments; the body's own are its to change.
    const seen = turn.toolLayers > 0 || turn.policies.length > 0 || turn.ledger.listening
    const args = seen ? Object.freeze(thaw(this.#args)) : this.#args
    this.view = Object.freeze({ id: wire.id, name, args, arguments: text })
    this.tool = turn.offered.find((tool) => tool.name === name && tool.provider === undefined)
  }

  get state(): object {
    return this.turn.state
  }

  get context(): object {
    return this.turn.context
  }

  get runtime(): Surroundings['runtime'] {
    return this.turn.runtime
  }

  get signal(): AbortSignal {
    return this.turn.scope.signal
  }

  /** The arguments that a body is to get: a layer's, or else the model's, of its own for each entry. */
  argsFor({ toolCall }: LiveToolCallRequest): unknown {
    if (toolCall !== this.view) return toolCall.args
    return this.attempts === 0 ? this.#args : structuredClone(toolCall.args)
  }

  request(): LiveToolCallRequest {
    return new LiveToolCallRequest(this.view, this.tool, this)
  }
}

/** Takes what a layer gave back for a result, or throws. */
export function settleResult(result: ToolResult, layer: string): ToolResult {
  const message = (result as ToolResult | undefined)?.message
  if (message?.role === 'tool' && (typeof message.content === 'string' || Array.isArray(message.content))) {
    checkUpdates(result.updates, 'wrapToolCall', layer)
    return result
  }
  throw new StepError(
    `wrapToolCall of "${layer}": expected a result { message: toolMessage(…), … }, got ${got(result)}; return what the handler gave`,
    { code: 'LAYER_RESULT' },
  )
}

/**
 * The core of the tool onion, on the effective call: is the tool offered or granted, do the arguments fit its schema,
 * does every policy allow it? Then its body runs, once.
 */
export async function toolCore(entry: Entry<LiveToolCallRequest>): Promise<ToolResult> {
  const request = entry.request
  const call = LiveToolCallRequest.around(request) as ToolCall
  const { turn } = call
  turn.check()
  const tool = executable(request.tool, call)
  const args = call.argsFor(request)
  if (args === undefined && call.misfit) throw call.misfit
  let checked = tool.parse(args)
  if (checked instanceof Promise) checked = await turn.scope.race(checked)
  if (checked.issues) {
    throw new ToolInputError(
      `The arguments of "${tool.name}" do not fit: ${issuesText(checked.issues)}. Correct them and call the tool again.`,
      { issues: checked.issues },
    )
  }
  if (turn.policies.length > 0) {
    const denied = await authorise(request as LiveToolCallRequest & { readonly tool: AnyTool }, turn)
    if (denied) return denied
  }
  if (tool.execute === undefined) throw await question(call, tool, checked.value)
  return enter(entry, call, tool, checked.value)
}

/** Enters the body of a tool. A promise only where something in it takes time. */
function enter(
  entry: Entry<LiveToolCallRequest>,
  call: ToolCall,
  tool: AnyTool,
  args: unknown,
): ToolResult | Promise<ToolResult> {
  const { turn } = call
  const attempt = ++call.attempts
  call.executed = tool
  const own = entry.request.ownSignal
  // Without a thread nothing is written, and without a signal of a layer's nothing is to be joined.
  if (turn.ledger.keeps || own) return recorded(entry, call, tool, args, attempt)
  const ran = runBody(tool, args, new Attempt(call, attempt, turn.scope))
  return ran instanceof Promise ? ran.then((outcome) => resultOf(call, outcome)) : resultOf(call, ran)
}

/** The body of a tool, between its two records. */
async function recorded(
  entry: Entry<LiveToolCallRequest>,
  call: ToolCall,
  tool: AnyTool,
  args: unknown,
  attempt: number,
): Promise<ToolResult> {
  const { turn } = call
  const { ledger } = turn
  const place = { turn: turn.index, call: call.view.id, path: entry.path }
  await ledger.append({ kind: 'tool-start', ...place, tool: tool.name, attempt })
  const own = entry.request.ownSignal
  const scope = own ? joined(turn.scope, own) : turn.scope
  try {
    const result = resultOf(call, await runBody(tool, args, new Attempt(call, attempt, scope)))
    await ledger.append({ kind: 'tool', ...place, status: 'done', message: result.message })
    return result
  } catch (error) {
    await ledger.append({ kind: 'tool', ...place, status: scope.aborted ? 'aborted' : 'failed', error })
    throw error
  } finally {
    if (own) scope.close()
  }
}

function resultOf({ view }: ToolCall, outcome: ToolOutcome): ToolResult {
  const { content, status, artifact, updates, goto, stopReason } = outcome
  const message: ToolMessage = { role: 'tool', tool_call_id: view.id, name: view.name, content, status }
  if (artifact !== undefined) message.artifact = artifact
  const result: { -readonly [K in keyof ToolResult]: ToolResult[K] } = { message }
  if (updates) result.updates = updates
  if (goto) result.goto = goto
  if (stopReason) result.stopReason = stopReason
  return result
}

/** One entry of a body. */
class Attempt implements Body {
  readonly #call: ToolCall
  readonly attempt: number
  readonly scope: Scope

  constructor(call: ToolCall, attempt: number, scope: Scope) {
    this.#call = call
    this.attempt = attempt
    this.scope = scope
  }

  get host(): ToolCallHost['host'] {
    return this.#call.turn.host
  }

  get toolCallId(): string {
    return this.#call.view.id
  }

  get secrets(): Secrets {
    return this.host.secrets
  }

  onProgress(chunk: unknown): void | Promise<void> {
    return this.#call.turn.ledger.notify({ type: 'tool-progress', toolCallId: this.toolCallId, chunk })
  }

  onDisposeError(error: unknown): void {
    void this.#call.turn.ledger.notify({ type: 'notice', code: 'dispose_failed', detail: error })
  }
}

/** The tool to execute. @throws ToolNotFoundError for what was not offered, and for what has no body anywhere. */
function executable(tool: AnyTool | undefined, call: ToolCall): AnyTool {
  const { name } = call.view
  if (tool === undefined) {
    const offered = call.turn.offered.filter((other) => other.provider === undefined).map((other) => other.name)
    const near = offered.filter((other) => distance(other, name) <= 3)
    const hint = near.length > 0 ? ` Did you mean ${near.map((other) => `"${other}"`).join(' or ')}?` : ''
    throw new ToolNotFoundError(
      `The tool "${name}" is not available.${hint} Available now: ${offered.join(', ') || 'none'}.`,
    )
  }
  if (!isTool(tool))
    throw new ToolNotFoundError(`The tool "${name}" has no implementation here, so nothing was executed.`)
  return tool
}

async function authorise(
  request: LiveToolCallRequest & { readonly tool: AnyTool },
  turn: ToolCallHost,
): Promise<ToolResult | undefined> {
  let denied: string | undefined
  for (const policy of turn.policies) {
    const given = policy(request)
    const verdict = given instanceof Promise ? await turn.scope.race(given) : given
    // A reason that is missing or empty is no reason to execute.
    if (verdict?.verdict === 'deny')
      denied ??= verdict.reason ? String(verdict.reason) : 'Denied: nothing was executed.'
    else if (verdict?.verdict !== 'allow') {
      throw new AgentError(
        `authorizeToolCall: expected allow() or deny(reason), got ${got(verdict)}; the call was not executed`,
        { code: 'TOOL_FAILED' },
      )
    }
  }
  if (denied === undefined) return undefined
  const { id, name } = request.toolCall
  return { message: { role: 'tool', tool_call_id: id, name, content: denied, status: 'denied' } }
}

/** The question of a headless tool: only somebody outside can answer this call. */
async function question(call: ToolCall, tool: AnyTool, args: unknown): Promise<Interruption> {
  const { id, name } = call.view
  const { runId } = call.turn.host
  const text = JSON.stringify([runId, call.turn.index, id, tool.name])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const hex = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return new Interruption([
    { id: hex, toolCallId: id, path: [], payload: { type: 'tool', toolCall: { id, name, args } } },
  ])
}
