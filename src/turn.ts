import { type BatchHost, runBatch, type Settled, type ToolErrors } from './batch.js'
import type { Goto } from './command.js'
import { got, StateError } from './errors.js'
import type { Delta } from './events.js'
import { Gotos, runHook } from './hooks.js'
import { Scope } from './internal/scope.js'
import { Interruption } from './interrupt.js'
import { LiveModelRequest } from './live-requests.js'
import type { Route } from './log/entry.js'
import type { Ledger } from './log/ledger.js'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  missingResult,
  type ToolMessage,
  textOf,
  type WireToolCall,
} from './messages.js'
import { admitReply, type ModelCallHost, type Offer, offerOf } from './model-call.js'
import type { Model, ModelResponse } from './models/model.js'
import type { ModelRequestChange, RunContext, ToolResult, TurnContext } from './requests.js'
import type { Runtime, RuntimeHost } from './runtime.js'
import type { Ring, Stack } from './stack.js'
import { type Answer, type Answers, answerResult, correction, type OutputFormat, readAnswer } from './structured.js'
import { ToolCall, type ToolCallHost } from './tool-call.js'
import type { Scrubber } from './tools/scrubber.js'
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
  readonly scrubber: Scrubber
  /** The results that end the run directly. */
  direct: readonly ToolMessage[] | undefined
  resolve(model: Model | string): Model
}

const CUT_OFF = 'Cancelled: the run was aborted before this call had finished; what it did is not known.'
const AGAIN: Route = Object.freeze({ next: 'model' })
const NO_UPDATES: readonly never[] = Object.freeze([])
const silent = (): void => {}

/** What a turn rejects with whose calls have questions: all of them, and the results that are there. */
const pausing = (settled: readonly Settled[]): Interruption =>
  new Interruption(
    settled.flatMap((one) => one.interrupts ?? []),
    settled.flatMap((one) => one.result?.message ?? []),
  )

/** One turn by its phases: the model call, the tool calls that it asks for, and what comes of them. */
export class Turn implements TurnContext, Ring, ModelCallHost, ToolCallHost, BatchHost {
  readonly host: TurnHost
  readonly stack: Stack
  readonly ledger: Ledger
  readonly index: number
  readonly scope: Scope
  response: ModelResponse | undefined
  /** The messages that the request was made with. */
  paired: readonly Message[] = []
  readonly #gotos = new Gotos()
  #settled: readonly NonNullable<Settled['result']>[] = []
  #entered = false
  #route: Route = AGAIN
  #offer: Offer | undefined
  #messageId = ''
  #attempts = 0
  #attempt = 1
  #shown = ''

  constructor(host: TurnHost, index: number) {
    this.host = host
    this.index = index
    this.stack = host.spec.stack
    this.ledger = host.ledger
    // Only a step can leave something running behind, so only then a turn needs a scope of its own.
    this.scope = this.stack.turnSteps > 0 ? new Scope(host.scope) : host.scope
  }

  /** Runs the turn; gives where the run goes next. Rejects with an {@link Interruption} where it pauses. */
  async enter(): Promise<Route> {
    const { host } = this
    if (this.ledger.listening) await this.ledger.notify({ type: 'turn-start' })
    try {
      await this.stack.turn(this)
    } finally {
      if (this.scope !== host.scope) this.scope.close()
    }
    // A step that does not go on inwards ends the run, unless it says otherwise.
    const route = this.#gotos.take() ?? (this.#entered ? this.#route : { next: 'end', stopReason: 'goto' })
    const settled: Route = route.next === 'tools' ? AGAIN : route
    const committed = this.ledger.commit('turn', settled)
    if (committed) await committed
    if (this.ledger.listening) await this.ledger.notify({ type: 'turn-end' })
    return settled
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
    const response = await this.#callModel()
    const reply = response.message
    const format = this.#offer?.format
    const answer = format && (await readAnswer(format, reply))
    this.response = response
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
    if (decided && decided.next !== 'tools') {
      this.#leaveOpen(asked.map((call) => missingResult(call, 'Not executed: the run went on without this call.')))
      this.#route = decided
    } else if (asked.length > 0) await this.#runTools(asked, format, answer)
    else this.#route = this.#afterText(response, format, answer)
  }

  /** Aborts what goes on inside. */
  cancel(error: unknown): void {
    this.scope.abort(error)
  }

  async #afterModel(): Promise<void> {
    const { host } = this
    const { afterModel } = this.stack
    for (const hook of afterModel) await runHook(hook, host, this.#gotos)
    const committed = this.ledger.commit('decided', this.#gotos.route ?? { next: 'tools' }, true)
    if (committed) await committed
  }

  async #callModel(): Promise<ModelResponse> {
    const { host } = this
    const tools = this.#fixed ? this.stack.tools : await this.#tools()
    this.paired = this.ledger.state.messages.snapshot
    const messageId = this.ledger.nextMessageId()
    this.#messageId = messageId
    const { model, systemPrompt, toolChoice, responseFormat, settings } = host.spec.request
    const emit = this.ledger.listening ? (delta: Delta) => this.#emit(delta) : silent
    const fields = {
      model,
      messages: this.paired,
      systemPrompt,
      tools,
      toolChoice,
      responseFormat,
      settings,
      emit,
      signal: this.scope.signal,
    }
    const running = this.stack.model(new LiveModelRequest(fields, messageId, this.ledger.listening, this))
    // A layer that never settles must not hold an abort up; without layers the core itself takes care.
    const response = await (this.stack.modelLayers > 0 ? this.scope.race(running) : running)
    this.#offer = offerOf(response)
    const admitted = { ...response, message: admitReply(this.scrub(response.message), messageId) }
    if (this.ledger.listening) await this.#showWhole(admitted.message)
    return admitted
  }

  /** Whether the tools are the same in every turn. */
  get #fixed(): boolean {
    return this.stack.sources.length === 0 && this.host.order.tools.length === 0
  }

  /** The tools of this turn: those that are there from the start, the run's own, and what the sources give today. */
  async #tools(): Promise<readonly AnyTool[]> {
    const { stack } = this
    const tools = [...stack.tools, ...this.host.order.tools]
    for (const source of stack.sources) {
      const given = source.run(this)
      const more = given instanceof Promise ? await this.scope.race(given) : given
      if (!Array.isArray(more))
        throw new StateError(
          `middleware "${source.name}": expected tools(turn) to give an array of tools, got ${got(more)}`,
        )
      tools.push(...more)
    }
    return Object.freeze(tools)
  }

  async #runTools(asked: readonly WireToolCall[], format: OutputFormat | undefined, answer: Answer): Promise<void> {
    const isAnswer = (call: WireToolCall): boolean => call.function.name === format?.tool.name
    const calls = asked
      .filter((call) => format === undefined || !isAnswer(call))
      .map((call) => new ToolCall(call, this))
    const settled = await runBatch(calls, this)
    this.host.toolsRan = true
    if (settled.some((one) => one.interrupts) && !this.scope.aborted) throw pausing(settled)
    let next = 0
    const results = asked.map((call): NonNullable<Settled['result']> => {
      if (isAnswer(call))
        return { message: this.#sealed(answerResult(call, answer)), updates: NO_UPDATES, goto: undefined }
      return (
        settled[next++]?.result ?? {
          message: this.#sealed(missingResult(call, CUT_OFF)),
          updates: NO_UPDATES,
          goto: undefined,
        }
      )
    })
    this.#settled = results
    this.ledger.enter(
      'the tools',
      results.map(({ message }) => message),
    )
    this.scope.check()
    const fatal = settled.find((one) => one.fatal)?.fatal
    if (fatal) throw fatal.error
    for (const { updates, goto, stopReason } of results) {
      for (const { owner, values } of updates) this.ledger.update(owner, values)
      this.#gotos.add(goto, stopReason)
    }
    this.#route = this.#afterTools(calls, settled, format, answer)
  }

  #sealed(message: ToolMessage): ToolMessage {
    return Object.freeze({ ...message, id: this.ledger.nextMessageId() })
  }

  get results(): readonly ToolResult[] {
    return this.#settled.map(({ message, updates, goto }) => ({
      message,
      updates: updates.map(({ values }) => values),
      ...(goto && { goto }),
    }))
  }

  #afterTools(
    calls: readonly ToolCall[],
    settled: readonly Settled[],
    format: OutputFormat | undefined,
    answer: Answer,
  ): Route {
    const { host } = this
    if (format && answer) return this.#afterAnswer(format, answer)
    const direct = calls.every(
      (call, index) =>
        (call.executed ?? call.tool)?.returnDirect && settled[index]?.result?.message.status === 'success',
    )
    if (!direct) return AGAIN
    host.direct = settled.flatMap((one) => one.result?.message ?? [])
    return { next: 'end', stopReason: 'returnDirect' }
  }

  #afterText({ finishReason }: ModelResponse, format: OutputFormat | undefined, answer: Answer): Route {
    if (answer && 'value' in answer) return this.#afterAnswer(format as OutputFormat, answer)
    if (finishReason === 'refusal' || finishReason === 'content_filter') return { next: 'end', stopReason: 'refusal' }
    if (finishReason === 'length') return { next: 'end', stopReason: 'length' }
    if (!format || !answer) return { next: 'end', stopReason: 'stop' }
    const route = this.#afterAnswer(format, answer)
    this.ledger.update('the engine', { messages: [correction(answer)] })
    return route
  }

  #afterAnswer(format: OutputFormat, answer: NonNullable<Answer>): Route {
    const { answers } = this.host
    if ('issues' in answer) {
      answers.refuse(format, answer)
      return AGAIN
    }
    answers.accepted = answer
    return { next: 'end', stopReason: 'stop' }
  }

  #leaveOpen(results: readonly ToolMessage[]): void {
    if (results.length > 0) this.ledger.update('the engine', { messages: results })
  }

  #emit(delta: Delta): void | Promise<void> {
    if (delta.type === 'text') this.#shown += delta.text
    else if (delta.type === 'reset') this.#shown = ''
    return this.ledger.notify({ type: 'delta', messageId: this.#messageId, attempt: this.#attempt, delta })
  }

  /** A reply whose text was not shown as it is (a layer's own, or a changed one) is shown whole. */
  async #showWhole(message: AssistantMessage): Promise<void> {
    const text = textOf(message.content)
    if (text === this.#shown) return
    if (this.#shown !== '') await this.#emit({ type: 'reset' })
    if (text !== '') await this.#emit({ type: 'text', text })
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

  get state(): RunContext['state'] {
    return this.host.state
  }

  get context(): object {
    return this.host.context
  }

  get runtime(): Runtime {
    return this.host.runtime
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

  get shows(): boolean {
    return this.#shown !== ''
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

  runTool(call: ToolCall): Promise<ToolResult> {
    return this.stack.tool(call.request())
  }

  scrub<T>(value: T): T {
    return this.host.scrubber.scrub(value)
  }

  nextAttempt(): number {
    return ++this.#attempts
  }

  stamp(attempt: number): void {
    this.#attempt = attempt
  }

  resolve(model: Model | string): Model {
    return this.host.resolve(model)
  }
}
