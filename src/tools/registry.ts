import {
  type AgentError,
  ConfigError,
  type ErrorCode,
  got,
  isAgentError,
  ToolInputError,
  ToolNotFoundError,
} from '../errors.js'
import { COUNT, check, isObject, type Rules, SIGNAL } from '../internal/check.js'
import { distance } from '../internal/distance.js'
import { thaw } from '../internal/freeze.js'
import { Scope } from '../internal/scope.js'
import { issuesText } from '../internal/standard-schema.js'
import { isControl } from '../interrupt.js'
import type { ToolMessage } from '../messages.js'
import { parseArguments } from './arguments.js'
import { tagOn, toolOf } from './decorator.js'
import { toolsOf } from './discover.js'
import { errorText } from './error-text.js'
import { runBody } from './execute.js'
import { LooseHost } from './loose-host.js'
import { type RegistryResult, type RegistryToolCall, readCall } from './registry-calls.js'
import type { ToolOutcome } from './result.js'
import { schedule } from './schedule.js'
import { Secrets } from './secrets.js'
import { type AnyTool, isTool } from './tool.js'

/** Options of {@link ToolRegistry.execute}. */
export interface ExecuteOptions {
  /** Together, one after the other, or a bound. A tool that says `sequential` runs alone in any case. @default true */
  readonly parallel?: boolean | { readonly concurrency: number }
  /** Reaches each tool as `runtime.context`, as a frozen copy. @default {} */
  readonly context?: object
  readonly signal?: AbortSignal
}

/** A tool in the shape that a model client takes under `tools`. */
export interface FunctionSchema {
  type: 'function'
  function: { name: string; description?: string; parameters: Record<string, unknown> }
}

/**
 * Tools without an agent, for one's own loop: collect them, show their schemas to a model, execute what it calls.
 *
 * @example
 * class Assistant {
 *   readonly registry = new ToolRegistry()
 *   constructor() { this.registry.discover(this) }
 * }
 * const results = await assistant.registry.execute(reply.tool_calls)
 */
export class ToolRegistry {
  readonly #tools = new Map<string, { readonly tool: AnyTool; readonly owner: string }>()

  /** The names, in the order of registration. */
  get names(): string[] {
    return [...this.#tools.keys()]
  }

  /** The tools, in the order of registration; an agent takes them. */
  get tools(): AnyTool[] {
    return Array.from(this.#tools.values(), ({ tool }) => tool)
  }

  /** The tool of a name. */
  get(name: string): AnyTool | undefined {
    return this.#tools.get(name)?.tool
  }

  /**
   * Adds one tool, or a function that `functionTool` has marked. Gives the registry back.
   *
   * @throws ConfigError for anything else, and for a name that is taken, naming both owners.
   */
  register(tool: AnyTool | Function): this {
    const tag = tagOn(tool)
    const made = tag === undefined ? tool : toolOf(tag, tool as Function)
    if (!isTool(made) || made.provider !== undefined) {
      throw new ConfigError(
        `registry.register(): expected a tool made by tool(), or a function marked by functionTool, got ${got(tool)}; mark it: functionTool.of(fn, { … })`,
      )
    }
    this.#add([{ tool: made, owner: 'register()' }])
    return this
  }

  /**
   * Adds the marked methods of an object, bound to it, and the tools in its own fields; of a class, its statics. Gives
   * the names. Getters are never called.
   *
   * @throws ConfigError for a name that is taken, naming both owners; then nothing is added.
   */
  discover(object: object): string[] {
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null) {
      throw new ConfigError(
        `registry.discover(): expected an object with marked methods, or a class, got ${got(object)}`,
      )
    }
    const found = toolsOf(object)
    this.#add(found)
    return found.map(({ tool }) => tool.name)
  }

  #add(list: readonly { readonly tool: AnyTool; readonly owner: string }[]): void {
    const added = new Map<string, string>()
    for (const { tool, owner } of list) {
      const taken = added.get(tool.name) ?? this.#tools.get(tool.name)?.owner
      if (taken !== undefined) {
        throw new ConfigError(
          `the tool "${tool.name}" of ${owner} has the name of the one of ${taken}: expected names that are distinct; give one of them another { name }`,
        )
      }
      added.set(tool.name, owner)
    }
    for (const one of list) this.#tools.set(one.tool.name, one)
  }

  /** The schemas in the format of OpenAI, in the order of registration: fresh, plain data each time. */
  getSchemas(): FunctionSchema[] {
    return this.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, ...(description !== '' && { description }), parameters: structuredClone(inputSchema) },
    }))
  }

  /**
   * Executes tool calls, in either shape. Each gives one result, in call order: an unknown name, arguments that do not
   * fit and a throw are error results, and the others go on. It may be called concurrently.
   *
   * @throws ConfigError for wrong options, and, once the others have settled, what a tool itself throws as one. After an
   * abort it rejects with the signal's reason.
   */
  async execute(toolCalls: readonly RegistryToolCall[], options: ExecuteOptions = {}): Promise<RegistryResult[]> {
    const concurrency = checkExecuteOptions(toolCalls, options)
    const calls = toolCalls.map(readCall)
    if (calls.length === 0) return []
    options.signal?.throwIfAborted()
    const scope = new Scope()
    if (options.signal) scope.follow(options.signal)
    const batch = new Batch(this, new LooseHost(frozenContext(options.context), scope))
    try {
      await schedule({
        count: calls.length,
        concurrency,
        isSequential: (index) => this.get(calls[index]?.name ?? '')?.sequential ?? false,
        run: (index) => batch.run(calls[index] as Call, index),
      })
      return batch.finished()
    } finally {
      scope.close()
    }
  }
}

type Call = ReturnType<typeof readCall>

function checkExecuteOptions(toolCalls: unknown, options: unknown): number {
  if (!Array.isArray(toolCalls)) {
    throw new ConfigError(`registry.execute(): expected an array of tool calls, got ${got(toolCalls)}`)
  }
  const { parallel = true } = check(
    options,
    EXECUTE,
    'registry.execute()',
    'options { parallel, context, signal }',
  ) as ExecuteOptions
  if (typeof parallel === 'boolean') return parallel ? Number.POSITIVE_INFINITY : 1
  return parallel.concurrency
}

const EXECUTE: Rules = {
  parallel: [
    (value) => typeof value === 'boolean' || (isObject(value) && COUNT[0](value.concurrency)),
    'true, false or { concurrency } of at least 1',
  ],
  context: [(value) => typeof value === 'object' && value !== null, 'an object'],
  signal: SIGNAL,
}

/** The caller's own object is left as it is; an instance of a class is the caller's to freeze. */
function frozenContext(context: object = {}): object {
  const copy = thaw(context)
  return copy === context ? context : Object.freeze(copy)
}

/** One batch: its results, and what rejects it. */
class Batch {
  readonly #registry: ToolRegistry
  readonly #host: LooseHost
  readonly #secrets = new Secrets()
  readonly #results: RegistryResult[] = []
  #fatal: { readonly error: unknown } | undefined

  constructor(registry: ToolRegistry, host: LooseHost) {
    this.#registry = registry
    this.#host = host
  }

  finished(): RegistryResult[] {
    this.#host.scope.check()
    if (this.#fatal) throw this.#fatal.error
    return this.#results
  }

  async run(call: Call, index: number): Promise<void> {
    if (this.#host.scope.aborted) return
    try {
      this.#results[index] = this.#resultOf(call, await this.#outcomeOf(call))
    } catch (error) {
      if (this.#host.scope.aborted) return
      if (passes(error)) this.#fatal ??= { error }
      const content = this.#secrets.scrub(errorText(error))
      this.#results[index] = this.#resultOf(call, { content, status: 'error' }, codeOf(error))
    }
  }

  async #outcomeOf({ id, name, args }: Call): Promise<ToolOutcome> {
    const { scope } = this.#host
    const tool = this.#registry.get(name)
    if (tool === undefined) throw notFound(name, this.#registry.names)
    if (tool.execute === undefined) {
      throw new ToolNotFoundError(`The tool "${name}" has no implementation here, so nothing was executed.`)
    }
    const parsed = parseArguments(args)
    if ('error' in parsed) throw parsed.error
    const checking = tool.parse(parsed.args)
    const checked = checking instanceof Promise ? await scope.race(checking) : checking
    if (checked.issues) {
      throw new ToolInputError(
        `The arguments of "${name}" do not fit: ${issuesText(checked.issues)}. Correct them and call the tool again.`,
        { issues: checked.issues },
      )
    }
    return runBody(tool, checked.value, {
      host: this.#host,
      toolCallId: id,
      attempt: 1,
      scope,
      secrets: this.#secrets,
    })
  }

  #resultOf({ id, name }: Call, outcome: ToolOutcome, code?: ErrorCode): RegistryResult {
    const { content, status, artifact, updates } = outcome
    const message: ToolMessage = { role: 'tool', tool_call_id: id, name, content, status }
    if (artifact !== undefined) message.artifact = artifact
    return {
      toolCallId: id,
      name,
      content,
      isError: status !== 'success',
      ...(code !== undefined && { code }),
      ...(artifact !== undefined && { artifact }),
      ...(updates !== undefined && { updates }),
      message,
    }
  }
}

function notFound(name: string, names: readonly string[]): AgentError {
  const far = Math.min(3, Math.ceil(name.length / 2))
  const near = names.filter((other) => distance(other, name) <= far).map((other) => `"${other}"`)
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return new ToolNotFoundError(
    `The tool "${name}" is not available.${hint} Available now: ${names.join(', ') || 'none'}.`,
  )
}

const codeOf = (error: unknown): ErrorCode => (isAgentError(error) ? error.code : 'TOOL_FAILED')

/** Wrong configuration, a lost write and a question are the app's to see. A tool's own AbortError is a failure. */
const passes = (error: unknown): boolean =>
  isAgentError(error)
    ? error.code === 'CONFIG' || error.code === 'CONFLICT'
    : isControl(error) && (error as Error).name !== 'AbortError'
