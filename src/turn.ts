import { type BatchHost, runBatch, type ToolErrors } from './batch.js'
import type { Goto } from './command.js'
import { StepError } from './errors.js'
import type { Delta } from './events.js'
import { type Gotos, runHook } from './hooks.js'
import type { Scope } from './internal/scope.js'
import { Interruption } from './interrupt.js'
import { LiveModelRequest, type LiveToolCallRequest } from './live-requests.js'
import type { Route } from './log/entry.js'
import type { Ledger } from './log/ledger.js'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  missingResult,
  type ToolMessage,
  type WireToolCall,
} from './messages.js'
import { admitReply, type ModelCallHost, type Offer, offerOf } from './model-call.js'
import type { Model, ModelResponse } from './models/model.js'
import type { ModelRequestChange, RunContext, ToolResult, TurnContext } from './requests.js'
import type { Runtime, RuntimeHost } from './runtime.js'
import { Show } from './show.js'
import { gatherTurnTools, type Ring, type Stack } from './stack.js'
import { type Answer, type Answers, answerResult, correction, type OutputFormat, readAnswer } from './structured.js'
import { type Settled, ToolCall, type ToolCallHost } from './tool-call.js'
import type { Secrets } from './tools/secrets.js'
import type { AnyTool } from './tools/tool.js'

/** What a turn needs of its run. */
export interface TurnHost extends RunContext, Omit<RuntimeHost, keyof RunContext | 'ledger'> {
  readonly ledger: Ledger
  readonly scope: Scope
  readonly spec: {
    readonly stack: Stack
    readonly request: Pick<ModelRequestChange, 'model' | 'systemPrompt' | 'toolChoice' | 'responseFormat' | 'settings'>
    readonly toolErrors: ToolErrors | undefined
    readonly toolConcurrency: number
  }
  /** Tools given to this run alone. */
  readonly order: { readonly tools: readonly AnyTool[] }
  toolsRan: boolean
  readonly answers: Answers
  /** Secrets that this run knows. */
  readonly secrets: Secrets
  /** The results that end the run directly. */
  direct: readonly ToolMessage[] | undefined
  /** Where the phase that goes on sends the run. */
  readonly gotos: Gotos
  resolve(model: Model | string): Model | Promise<Model>
  cancel(error: unknown): void
}

const CUT_OFF = 'Cancelled: the run was aborted before this call had finished; what it did is not known.'
const AGAIN: Route = Object.freeze({ next: 'model' })
type Result = NonNullable<Settled['result']>

const NO_UPDATES: readonly never[] = Object.freeze([])
const silent = (): void => {}

/** One turn by its phases: the model call, the tool calls that it asks for, and what comes of them. */
export class Turn implements TurnContext, Ring, ModelCallHost, ToolCallHost, BatchHost {
  readonly host: TurnHost
  readonly stack: Stack
  readonly ledger: Ledger
  readonly show: Show | undefined
  readonly index: number
  /** The messages that the request was made with. */
  paired: readonly Message[] = []
  #results: readonly Result[] = []
  #entered = false
  #over = false
  #route: Route = AGAIN
  #offer: Offer | undefined
  #response: ModelResponse | undefined
  #reply: AssistantMessage | undefined
  #messageId = ''

  constructor(host: TurnHost, index: number) {
    this.host = host
    this.index = index
    this.stack = host.spec.stack
    this.ledger = host.ledger
    this.show = host.ledger.listening ? new Show(host.ledger) : undefined
  }

  /** Runs the turn; gives where the run goes next. Rejects with an {@link Interruption} where it pauses. */
  async enter(): Promise<Route> {
    if (this.ledger.listening) await this.ledger.notify({ type: 'turn-start' })
    try {
      await this.stack.turn(this)
    } finally {
      this.#over = true
    }
    // A step that does not go on inwards ends the run, unless it says otherwise.
    const route = this.#gotos.take() ?? (this.#entered ? this.#route : { next: 'end', stopReason: 'goto' })
    const settled: Route = route.next === 'tools' ? AGAIN : route
    const committed = this.ledger.commit('turn', settled)
    if (committed) await committed
    if (this.ledger.listening) await this.ledger.notify({ type: 'turn-end' })
    return settled
  }

  /** Refuses what a layer begins when the turn is over. */
  check(): void {
    this.scope.check()
    if (this.#over)
      throw new StepError('a handler was called when its turn was over: call it within the layer', {
        code: 'STEP_TWICE',
      })
  }

  /** What is inside all turn steps. */
  async inside(): Promise<void> {
    this.#entered = true
    const { host } = this
    for (const hook of this.stack.beforeModel) {
      if (this.#gotos.target !== undefined) break
      await runHook(hook, host, this.#gotos)
    }
    const skipped = this.#gotos.take()
    if (skipped) {
      this.#route = skipped
      return
    }
    const { messages } = this.ledger.state
    this.#closeOpen('No result: the call was never completed.')
    const response = await this.#ask(this.#tools ?? (await gatherTurnTools(this.stack, host.order.tools, this)))
    const reply = admitReply(this.scrub(response.message), this.#messageId)
    if (this.show) await this.show.whole(reply)
    this.#offer = offerOf(response)
    const format = this.#offer?.format
    const answer = format && (await readAnswer(format, reply, this.#offer?.byTool === true))
    this.#response = response
    this.#reply = reply
    this.ledger.enter('the model', [reply])
    if (response.updates) for (const values of response.updates) this.ledger.update('a layer of the model call', values)
    this.#gotos.add(response.goto)
    const asked = callsOf(reply)
    const committed = this.ledger.commit(
      'model',
      this.#gotos.route ?? { next: asked.length > 0 ? 'tools' : 'model' },
      true,
    )
    if (committed) await committed
    if (this.stack.afterModel.length > 0) await this.#afterModel()
    const decided = this.#gotos.take()
    // A hook may have changed, answered or removed what the model asked for; what is not in the history does not run.
    const { open } = messages
    if (decided && decided.next !== 'tools') {
      this.#closeOpen('Not executed: the run went on without this call.')
      this.#route = decided
    } else if (open.length > 0) await this.#runTools(open, format, answer)
    else if (callsOf(messages.get(reply.id as string)).length > 0) this.#route = AGAIN
    else this.#route = this.#afterText(response, format, answer)
  }

  /** Stops the run: a step of this turn has left something running. */
  cancel(error: unknown): void {
    this.host.cancel(error)
  }

  async #afterModel(): Promise<void> {
    const { host } = this
    const { afterModel } = this.stack
    for (const hook of afterModel) await runHook(hook, host, this.#gotos)
    const committed = this.ledger.commit('decided', this.#gotos.route ?? { next: 'tools' }, true)
    if (committed) await committed
  }

  /** Makes the request and sends it through the layers of the model call. */
  #ask(tools: readonly AnyTool[]): Promise<ModelResponse> {
    const { show, ledger, stack } = this
    this.paired = ledger.state.messages.copy
    const messageId = ledger.nextMessageId()
    show?.begin(messageId)
    const { model, systemPrompt, toolChoice, responseFormat, settings } = this.host.spec.request
    const emit = show ? (delta: Delta) => show.emit(delta) : silent
    const fields = { model, messages: this.paired, systemPrompt, tools, toolChoice, responseFormat, settings, emit }
    const request = new LiveModelRequest(fields, messageId, ledger.listening, this)
    this.#messageId = messageId
    const running = stack.model(request)
    // A layer that never settles must not hold an abort up; without layers the core itself takes care.
    return stack.modelLayers > 0 ? this.scope.race(running) : running
  }

  async #runTools(asked: readonly WireToolCall[], format: OutputFormat | undefined, answer: Answer): Promise<void> {
    const isAnswer = (call: WireToolCall): boolean =>
      this.#offer?.byTool === true && call.function.name === format?.tool.name
    const calls: ToolCall[] = []
    for (const call of asked) if (!isAnswer(call)) calls.push(new ToolCall(call, this))
    await runBatch(calls, this)
    this.host.toolsRan = true
    if (calls.some(({ settled }) => settled.interrupts) && !this.scope.aborted) throw this.#pausing(calls)
    let next = 0
    const results = asked.map((call): Result => {
      if (isAnswer(call)) return this.#standIn(answerResult(call, answer))
      return calls[next++]?.settled.result ?? this.#standIn(missingResult(call, CUT_OFF))
    })
    this.#results = results
    const answers = results.map(({ message }) => message)
    // What came behind the reply meanwhile, or answers a part of it, goes behind the results.
    const last = this.ledger.state.messages.at(-1)
    if (callsOf(last).length === asked.length) this.ledger.enter('the tools', answers)
    else this.ledger.update('the tools', { messages: answers })
    for (const { updates, goto, stopReason } of results) {
      for (const { owner, values } of updates) this.ledger.update(owner, values)
      if (goto) this.#gotos.add(goto, stopReason)
    }
    this.scope.check()
    const fatal = calls.find(({ settled }) => settled.fatal)?.settled.fatal
    if (fatal) throw fatal.error
    this.#route = format && answer ? this.host.answers.take(format, answer) : this.#afterTools(calls)
  }

  /** What a turn rejects with whose calls have questions: all of them, and the results that are there. */
  #pausing(calls: readonly ToolCall[]): Interruption {
    const done = calls.flatMap(({ settled }) => settled.result ?? [])
    for (const { message, updates } of done) {
      this.ledger.log?.ride({ kind: 'outcome', turn: this.index, call: message.tool_call_id, message, updates })
    }
    return new Interruption(
      calls.flatMap(({ settled }) => settled.interrupts ?? []),
      done.map(({ message }) => message),
    )
  }

  /** A result that no body gave. */
  #standIn(message: ToolMessage): Result {
    return { message: Object.freeze({ ...message, id: this.ledger.nextMessageId() }), updates: NO_UPDATES }
  }

  get results(): readonly ToolResult[] {
    return this.#results.map(({ message, updates, goto }) => ({
      message,
      updates: updates.map(({ values }) => values),
      ...(goto && { goto }),
    }))
  }

  /** The results end the run directly, if every call is to such a tool and succeeded. */
  #afterTools(calls: readonly ToolCall[]): Route {
    const direct = calls.every(
      ({ executed, tool, settled }) => (executed ?? tool)?.returnDirect && settled.result?.message.status === 'success',
    )
    if (!direct) return AGAIN
    this.host.direct = calls.flatMap(({ settled }) => settled.result?.message ?? [])
    return { next: 'end', stopReason: 'returnDirect' }
  }

  #afterText({ finishReason }: ModelResponse, format: OutputFormat | undefined, answer: Answer): Route {
    if (answer && 'value' in answer) return this.host.answers.take(format as OutputFormat, answer)
    if (finishReason === 'refusal' || finishReason === 'content_filter') return { next: 'end', stopReason: 'refusal' }
    if (finishReason === 'length') return { next: 'end', stopReason: 'length' }
    if (!format || !answer) return { next: 'end', stopReason: 'stop' }
    const route = this.host.answers.take(format, answer)
    this.ledger.update('the engine', { messages: [correction(answer)] })
    return route
  }

  #closeOpen(text: string): void {
    const { open } = this.ledger.state.messages
    if (open.length > 0) this.ledger.update('the engine', { messages: open.map((call) => missingResult(call, text)) })
  }

  update(update: Record<string, unknown>): void {
    this.ledger.update('a step of the turn', update)
  }

  goto(target: Goto): void {
    this.#gotos.add(target)
  }

  get run(): RunContext {
    return this.host
  }

  get #gotos(): Gotos {
    return this.host.gotos
  }

  /** The tools that are the same in every turn; `undefined` where they are to be gathered. */
  get #tools(): readonly AnyTool[] | undefined {
    return this.stack.sources.length === 0 && this.host.order.tools.length === 0 ? this.stack.tools : undefined
  }

  get response(): ModelResponse | undefined {
    return this.#response && this.#reply && { ...this.#response, message: this.#reply }
  }

  get state(): RunContext['state'] {
    return this.host.state
  }

  get context(): object {
    return this.host.context
  }

  get runtime(): Runtime {
    return this.host.runtime
  }

  get scope(): Scope {
    return this.host.scope
  }

  get signal(): AbortSignal {
    return this.scope.signal
  }

  get hasSystem(): boolean {
    return this.ledger.state.messages.hasSystem
  }

  get toolsRan(): boolean {
    return this.host.toolsRan
  }

  get repairing(): boolean {
    return this.host.answers.repairs > 0
  }

  get policies(): Stack['policies'] {
    return this.stack.policies
  }

  get offered(): readonly AnyTool[] {
    return this.#offer?.tools ?? []
  }

  get toolErrors(): ToolErrors | undefined {
    return this.host.spec.toolErrors
  }

  get toolConcurrency(): number {
    return this.host.spec.toolConcurrency
  }

  get toolLayers(): number {
    return this.stack.toolLayers
  }

  get nextMessageId(): () => string {
    return this.ledger.nextMessageId
  }

  runTool(request: LiveToolCallRequest): Promise<ToolResult> {
    return this.stack.tool(request)
  }

  scrub<T>(value: T): T {
    return this.host.secrets.scrub(value)
  }

  resolve(model: Model | string): Model | Promise<Model> {
    return this.host.resolve(model)
  }
}
