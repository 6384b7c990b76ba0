import { type ContextSchema, contextSchemaOf } from './context.js'
import { ConfigError, got, StateError } from './errors.js'
import type { Scope } from './internal/scope.js'
import {
  acceptModelRequest,
  acceptToolCallRequest,
  type LiveModelRequest,
  type LiveToolCallRequest,
} from './live-requests.js'
import {
  type AnyMiddleware,
  checkDefinition,
  type Definition,
  type Hook,
  type Placed,
  type RunStep,
  type ToolSource,
  unnamedKind,
} from './middleware.js'
import { modelCore, settleResponse } from './model-call.js'
import type { ModelResponse } from './models/model.js'
import { blame, calls, type NamedLayer, type NamedStep, steps } from './onion.js'
import { checkOrder } from './order.js'
import type { ModelLayer, RunContext, ToolLayer, ToolResult, TurnContext } from './requests.js'
import { StateSchema } from './state.js'
import { type Policy, settleResult, toolCore } from './tool-call.js'
import type { AnyTool } from './tools/tool.js'

/** A hook and the middleware that it belongs to. */
export interface NamedHook {
  readonly name: string
  readonly run: Hook
}

/** A run or a turn as its onion sees it. */
export interface Ring {
  /** What is inside all steps. */
  inside(): Promise<void>
  /** Stops what goes on inside. */
  cancel(error: unknown): void
}

/** A list of middleware, built into onions and hooks once; shared by every run of an agent. */
export interface Stack {
  readonly run: (run: RunContext & Ring) => Promise<void>
  readonly turn: (turn: TurnContext & Ring) => Promise<void>
  readonly model: (request: LiveModelRequest) => Promise<ModelResponse>
  readonly tool: (request: LiveToolCallRequest) => Promise<ToolResult>
  readonly modelLayers: number
  readonly toolLayers: number
  /** Steps of the run and of the turn. */
  readonly steps: number
  readonly beforeAgent: readonly NamedHook[]
  readonly beforeModel: readonly NamedHook[]
  /** Innermost first. */
  readonly afterModel: readonly NamedHook[]
  /** Innermost first. */
  readonly afterAgent: readonly NamedHook[]
  readonly policies: readonly Policy[]
  /** Tools that are there from the start, frozen. */
  readonly tools: readonly AnyTool[]
  /** Functions that are asked for tools every turn. */
  readonly sources: readonly {
    readonly name: string
    readonly run: Extract<ToolSource, (...given: never) => unknown>
  }[]
  readonly fields: StateSchema
  readonly contextSchemas: readonly ContextSchema[]
}

/** What the agent itself brings along. */
export interface Own {
  readonly tools: readonly AnyTool[]
  readonly stateSchema?: unknown
  readonly contextSchema?: unknown
}

/** Builds a stack; the first middleware is the outermost. @throws ConfigError for clashes of names, fields or order. */
export function buildStack(middleware: readonly AnyMiddleware[], own: Own): Stack {
  const list = flatten(middleware)
  checkOrder(list)
  const fields = new StateSchema()
  const contextSchemas: ContextSchema[] = []
  const declare = (
    owner: string,
    { stateSchema, contextSchema }: { stateSchema?: unknown; contextSchema?: unknown },
  ): void => {
    if (stateSchema !== undefined) fields.declare(stateSchema as Record<string, unknown>, owner)
    if (contextSchema !== undefined) contextSchemas.push(contextSchemaOf(contextSchema, owner))
  }
  declare('the agent', own)
  for (const { name, definition } of list) declare(`middleware "${name}"`, definition)
  const tools = gatherFixedTools(own.tools, list)
  for (const tool of tools) declare(`tool "${tool.name}"`, tool)

  const runSteps = pick(list, 'wrapRun', (step: RunStep) => step as NamedStep<RunContext & Ring>['run'])
  const turnSteps = pick(list, 'wrapTurn', (step) => step as NamedStep<TurnContext & Ring>['run'])
  const modelLayers = pick(
    list,
    'wrapModelCall',
    (layer: ModelLayer) => layer as NamedLayer<LiveModelRequest, ModelResponse>['run'],
  )
  const toolLayers = pick(
    list,
    'wrapToolCall',
    (layer: ToolLayer) => layer as NamedLayer<LiveToolCallRequest, ToolResult>['run'],
  )
  const inside = (ring: Ring): Promise<void> => ring.inside()
  const cancel = (ring: Ring, error: unknown): void => ring.cancel(error)
  const hooks = (hook: 'beforeAgent' | 'beforeModel' | 'afterModel' | 'afterAgent'): NamedHook[] =>
    pick(list, hook, (run: Hook) => run)

  return {
    run: steps(runSteps, inside, cancel),
    turn: steps(turnSteps, inside, cancel),
    model: calls(modelLayers, modelCore, { accept: acceptModelRequest, settle: settleResponse }),
    tool: calls(toolLayers, toolCore, { accept: acceptToolCallRequest, settle: settleResult }),
    modelLayers: modelLayers.length,
    toolLayers: toolLayers.length,
    steps: runSteps.length + turnSteps.length,
    beforeAgent: hooks('beforeAgent'),
    beforeModel: hooks('beforeModel'),
    afterModel: hooks('afterModel').reverse(),
    afterAgent: hooks('afterAgent').reverse(),
    policies: pick(list, 'authorizeToolCall', (policy: Policy) => policy).map(({ run }) => run),
    tools: Object.freeze(tools),
    sources: list.flatMap(({ name, definition }) =>
      typeof definition.tools === 'function' ? [{ name, run: definition.tools.bind(definition) }] : [],
    ),
    fields,
    contextSchemas,
  }
}

/** One hook of every middleware that has it, still with its own `this`. */
function pick<H extends keyof Definition, F extends (...given: never[]) => unknown>(
  list: readonly Placed[],
  hook: H,
  as: (hook: NonNullable<Definition[H]> & ((...given: never[]) => unknown)) => F,
): { name: string; run: F }[] {
  return list.flatMap(({ name, definition }) => {
    const found = definition[hook]
    return typeof found === 'function' ? [{ name, run: as(found.bind(definition)) }] : []
  })
}

/** Reads the list, names what has no name, lays nested stacks flat under theirs. @throws ConfigError for a name used twice. */
function flatten(middleware: readonly AnyMiddleware[]): Placed[] {
  const flat: (Placed & { place: string })[] = []
  const walk = (list: readonly AnyMiddleware[], prefix: string, where: string): void => {
    for (const [index, one] of list.entries()) {
      const place = `${where}[${index}]`
      const definition = typeof one === 'function' ? { name: 'run', wrapRun: one } : checkDefinition(one, place)
      const kind = unnamedKind(one)
      const name = prefix + (kind === undefined ? definition.name : `${kind}#${index + 1}`)
      if (definition.stack) walk(definition.stack, `${name}/`, `${place}.stack`)
      else flat.push({ name, definition, place })
    }
  }
  walk(middleware, '', 'middleware')
  const places = new Map<string, string>()
  for (const { name, place } of flat) {
    const taken = places.get(name)
    if (taken !== undefined)
      throw new ConfigError(
        `two middleware are named "${name}": ${taken} and ${place}; give one another name, or leave it out`,
      )
    places.set(name, place)
  }
  return flat
}

/** @throws ConfigError naming both owners of a tool name. */
function gatherFixedTools(own: readonly AnyTool[], list: readonly Placed[]): AnyTool[] {
  const owners = new Map<string, string>()
  const gathered: AnyTool[] = []
  const add = (tools: readonly AnyTool[], owner: string): void => {
    for (const tool of tools) {
      const other = owners.get(tool.name)
      if (other !== undefined)
        throw new ConfigError(
          `the tool name "${tool.name}" is taken twice: by ${other} and by ${owner}; rename one with tool.with({ name })`,
        )
      owners.set(tool.name, owner)
      gathered.push(tool)
    }
  }
  add(own, 'the agent')
  for (const { name, definition } of list)
    if (Array.isArray(definition.tools)) add(definition.tools, `middleware "${name}"`)
  return gathered
}

/** The tools of a turn: those that are there from the start, the run's own, and what the sources give today. */
export async function gatherTurnTools(
  { tools, sources }: Stack,
  own: readonly AnyTool[],
  turn: TurnContext & { readonly scope: Scope },
): Promise<readonly AnyTool[]> {
  const gathered = [...tools, ...own]
  for (const source of sources) {
    try {
      const given = source.run(turn)
      gathered.push(...checkedTools(given instanceof Promise ? await turn.scope.race(given) : given, source.name))
    } catch (error) {
      if (!turn.scope.aborted) blame(error, source.name)
      throw error
    }
  }
  return Object.freeze(gathered)
}

function checkedTools(given: readonly AnyTool[], name: string): readonly AnyTool[] {
  if (Array.isArray(given) && given.every((one: AnyTool | undefined) => typeof one?.name === 'string')) return given
  const found = Array.isArray(given)
    ? `an array with ${got(given.find((one) => typeof one?.name !== 'string'))}`
    : got(given)
  throw new StateError(`middleware "${name}": expected tools(turn) to give an array of tools, got ${found}`)
}
