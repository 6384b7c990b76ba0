import { readContext } from './context.js'
import type { AgentEvent, StopReason } from './events.js'
import { explain } from './failure.js'
import { Gotos, runHook } from './hooks.js'
import { asConfigError, readInput } from './input.js'
import { follow } from './internal/follow.js'
import { newId } from './internal/id.js'
import { Scope } from './internal/scope.js'
import { type Interrupt, Interruption } from './interrupt.js'
import type { Route } from './log/entry.js'
import type { OpenTurn } from './log/fold.js'
import { type Emit, Ledger } from './log/ledger.js'
import { type Message, missingResult, type Part, type ToolMessage } from './messages.js'
import { resolveModel } from './model-call.js'
import type { Model, ModelResponse } from './models/model.js'
import type { RunContext, RunResult } from './requests.js'
import { LiveRuntime, type Runtime, type SideCall } from './runtime.js'
import type { Order, Spec } from './spec.js'
import type { Ring } from './stack.js'
import type { Store } from './stores/store.js'
import { Answers } from './structured.js'
import { Secrets } from './tools/secrets.js'
import { Turn, type TurnHost } from './turn.js'
import type { Usage } from './usage.js'

/** How long an aborted run waits for its steps to unwind, in milliseconds. */
const GRACE_MS = 1000
const MAX_TURNS: Route = Object.freeze({ next: 'end', stopReason: 'maxTurns' })
const NEXT: Route = Object.freeze({ next: 'model' })

/** One run: takes the thread, runs turns until done, ends. */
export class Run implements RunContext, Ring, TurnHost {
  readonly runId: string = newId()
  readonly threadId: string | null
  readonly leg = 1
  readonly locals: Record<PropertyKey, unknown> = {}
  readonly scope: Scope
  readonly runtime: Runtime = new LiveRuntime(this)
  readonly serverInfo: null = null
  readonly ledger: Ledger
  readonly spec: Spec
  readonly order: Order
  input: Readonly<Record<string, unknown>> = {}
  context: object = {}
  result: RunResult | undefined
  toolsRan = false
  readonly answers: Answers = new Answers()
  readonly gotos: Gotos = new Gotos()
  #remembered: Map<string, Promise<unknown>> | undefined
  readonly secrets: Secrets = new Secrets()
  direct: readonly ToolMessage[] | undefined
  #stopReason: StopReason = 'goto'
  #pause: Interruption | undefined
  #byCaller = false
  #turnsSpent = 0
  #careless: unknown

  constructor(spec: Spec, order: Order, emit?: Emit) {
    this.spec = spec
    this.order = order
    this.scope = new Scope(order.parent?.scope)
    const { steps, sources } = spec.stack
    // No signal, no stream, and nobody who is handed the run.
    if (!order.signal && !order.parent && !emit && steps + sources.length === 0) this.scope.seal()
    this.threadId = spec.checkpointer ? (order.threadId ?? newId()) : null
    this.ledger = new Ledger(this.runId, spec.stack.fields, order.parent?.path ?? [], emit)
  }

  /** Runs to the end. Rejects with what a model, a tool or a middleware threw, or with the reason of the caller's signal. */
  async execute(): Promise<RunResult> {
    const { signal, parent } = this.order
    const onAbort = (): void => {
      this.#byCaller = true
      this.scope.abort(signal?.reason)
    }
    if (signal?.aborted) onAbort()
    const leave = signal?.aborted === false ? follow(signal, onAbort) : undefined
    try {
      this.scope.check()
      await this.#take()
      return await this.#rings()
    } catch (error) {
      explain(error, { runId: this.runId, messages: this.ledger.state.messages.snapshot, usage: this.usage })
      await this.ledger.notify({ type: 'error', error, usage: this.usage })
      throw error
    } finally {
      leave?.()
      parent?.host.addUsage(this.usage)
      this.scope.close()
    }
  }

  /** Reads the context, takes the thread, and puts the input into the state. Nothing of the stack has run yet. */
  async #take(): Promise<void> {
    const { ledger, spec } = this
    const context = readContext(this.order.context, spec.stack.contextSchemas)
    this.context = context instanceof Promise ? await this.scope.race(context) : context
    this.input = readInput(this.order.input, spec.stack.fields)
    let outcomes: OpenTurn['outcomes'] = []
    if (spec.checkpointer) {
      const { openThread } = await import('./log/fold.js')
      const thread = await openThread(this.runId, spec.checkpointer, this.threadId as string, ledger.state)
      outcomes = thread.outcomes
      ledger.log = thread.log
    }
    const claimed = ledger.append({ kind: 'claim', leg: this.leg })
    if (claimed) await claimed
    await ledger.notify({ type: 'run-start', threadId: this.threadId, leg: this.leg })
    const { messages, ...values } = this.input
    try {
      ledger.update('the input', {
        ...values,
        messages: [...outcomes.map(({ message }) => message), ...((messages as readonly Message[] | undefined) ?? [])],
      })
      for (const { owner, values } of outcomes.flatMap(({ updates }) => updates)) ledger.update(owner, values)
      this.#answerOpen('No result: the call was never completed.')
    } catch (error) {
      await this.#close('error')
      throw asConfigError(error)
    }
    ledger.lastReply = undefined
  }

  /** Goes through the rings, and ends the run, whatever comes of them. */
  async #rings(): Promise<RunResult> {
    try {
      const rings = this.spec.stack.run(this)
      // Only steps can take their time to unwind; all else gives way to an abort by itself.
      await (this.spec.stack.steps > 0 ? this.scope.unwind(rings, GRACE_MS) : rings)
      this.scope.check()
      if (this.#pause) throw this.#pause
    } catch (error) {
      // A step that did not wait stops what it left running by an abort, but it is a fault, and rejects as one.
      const careless = this.#careless !== undefined && this.scope.reason === this.#careless
      if (this.scope.aborted && !careless) {
        this.#answerOpen('Cancelled: the run was aborted before this call was executed.')
        await this.#close('aborted')
        if (this.#byCaller || this.order.parent?.scope.aborted) throw this.scope.reason
        return this.#end('aborted')
      }
      if (this.#pause && !careless) return await this.#suspend(this.#pause)
      this.#answerOpen('Not executed: the run failed before this call.')
      await this.#close('error')
      throw error
    }
    this.#answerOpen('Not executed: the run ended before this call.')
    await this.#close(this.#stopReason)
    return this.#end(this.#stopReason)
  }

  /** What is inside all run steps: the hooks of the agent, and turns until one says that it was the last. */
  async inside(): Promise<void> {
    const { stack } = this.spec
    const { gotos } = this
    for (const hook of stack.beforeAgent) {
      if (gotos.target !== undefined) break
      await runHook(hook, this, gotos)
    }
    let route = gotos.take() ?? NEXT
    const committed = this.ledger.commit('start', route, stack.beforeAgent.length === 0)
    if (committed) await committed
    for (;;) {
      route = await this.#turns(route)
      for (const hook of stack.afterAgent) await runHook(hook, this, gotos)
      const again = gotos.take()
      if (again === undefined || again.next === 'end') break
      // The limit holds for turns that a hook asks for, too; otherwise the two would go on for ever.
      if (this.turnsLeft <= 0) {
        route = MAX_TURNS
        break
      }
      route = again
    }
    this.#stopReason = route.next === 'end' ? route.stopReason : 'goto'
    this.result = this.#resultOf(this.#stopReason)
  }

  async #turns(from: Route): Promise<Route> {
    let route = from
    while (route.next !== 'end') {
      this.scope.check()
      if (this.turnsLeft <= 0) return MAX_TURNS
      this.spendTurn()
      try {
        route = await new Turn(this, ++this.ledger.turns).enter()
      } catch (error) {
        if (error instanceof Interruption) this.#pause = error
        throw error
      }
    }
    return route
  }

  /** Gives calls that nobody answered a result that says why, so that the history is valid on every exit. */
  #answerOpen(text: string): void {
    const { open } = this.ledger.state.messages
    if (open.length > 0) this.ledger.update('the engine', { messages: open.map((call) => missingResult(call, text)) })
  }

  async #close(stopReason: StopReason | 'error'): Promise<void> {
    const { ledger } = this
    const shown = stopReason === 'error' ? 'goto' : stopReason
    const committed = ledger.commit('end', { next: 'end', stopReason: shown }, true)
    const ended = ledger.append({ kind: 'end', stopReason, usage: this.usage })
    if (this.scope.aborted) committed?.catch(() => {})
    else if (committed) await committed
    if (ended) await ended
  }

  async #suspend({ interrupts, done }: Interruption): Promise<RunResult> {
    const { ledger } = this
    for (const interrupt of interrupts) ledger.log?.ride({ kind: 'interrupt', turn: this.turns, interrupt })
    const ended = ledger.append({ kind: 'end', stopReason: 'interrupt', usage: this.usage })
    if (ended) await ended
    await ledger.notify({ type: 'interrupt', interrupts, done })
    return this.#end('interrupt', interrupts, done)
  }

  async #end(
    stopReason: StopReason,
    interrupts: readonly Interrupt[] = [],
    done: readonly ToolMessage[] = [],
  ): Promise<RunResult> {
    const result = this.#resultOf(stopReason, interrupts, done)
    this.result = result
    await this.ledger.notify({ type: 'run-end', stopReason, usage: this.usage })
    return result
  }

  #resultOf(
    stopReason: StopReason,
    interrupts: readonly Interrupt[] = [],
    done: readonly ToolMessage[] = [],
  ): RunResult {
    const { state } = this.ledger
    const shown = state.shown
    return {
      messages: shown.messages,
      state: shown,
      output: this.#output(stopReason),
      structured: stopReason === 'stop' ? this.answers.accepted?.value : undefined,
      stopReason,
      interrupts,
      done,
      usage: this.usage,
      runId: this.runId,
      threadId: this.threadId,
    }
  }

  #output(stopReason: StopReason): string | Part[] {
    if (stopReason !== 'returnDirect' || !this.direct) {
      const { state, lastReply } = this.ledger
      // What a hook changed or took out of the history is not said after all.
      const reply = lastReply && state.messages.get(lastReply.id as string)
      return reply?.content ?? ''
    }
    const contents = this.direct.map(({ content }) => content)
    if (contents.every((content) => typeof content === 'string')) return contents.join('\n\n')
    return contents.flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content))
  }

  cancel(error: unknown): void {
    this.#careless = error
    this.scope.abort(error)
  }

  abort(reason: unknown = new DOMException('The run was aborted', 'AbortError')): void {
    this.scope.abort(reason)
  }

  update(update: Record<string, unknown>): void {
    this.ledger.update('a step of the run', update)
  }

  get remembered(): Map<string, Promise<unknown>> {
    this.#remembered ??= new Map()
    return this.#remembered
  }

  get state(): RunContext['state'] {
    return this.ledger.state.view
  }

  get config(): Runtime['config'] {
    return this.order.config
  }

  get store(): Store | undefined {
    return this.spec.store
  }

  get signal(): AbortSignal {
    return this.scope.signal
  }

  get usage(): Usage {
    return this.ledger.usage
  }

  get turns(): number {
    return this.ledger.turns
  }

  get path(): readonly string[] {
    return this.ledger.path
  }

  /** Turns that this run may still enter. */
  get turnsLeft(): number {
    const own = this.order.maxTurns - this.#turnsSpent
    return Math.min(own, this.order.parent?.host.turnsLeft ?? own)
  }

  /** Charges a turn, of this run or of a sub-agent, to this run and to those above it. */
  spendTurn(): void {
    this.#turnsSpent++
    this.order.parent?.host.spendTurn()
  }

  write(chunk: unknown, toolCallId?: string): void {
    if (!this.ledger.listening || this.scope.aborted) return
    // A writer is synchronous, so it cannot wait for a slow reader.
    const shown = this.secrets.scrub(chunk)
    void this.ledger.notify({ type: 'custom', ...(toolCallId !== undefined && { toolCallId }), chunk: shown })
  }

  forward(event: AgentEvent): void | Promise<void> {
    return this.ledger.forward(event)
  }

  addUsage(usage: Usage): void {
    this.ledger.book(usage)
  }

  resolve(model: Model | string): Model | Promise<Model> {
    return resolveModel(model, this.spec.models)
  }

  generate(model: Model | string, call: SideCall): Promise<ModelResponse> {
    return import('./side-call.js').then(({ sideCall }) => sideCall(model, call, this))
  }
}
