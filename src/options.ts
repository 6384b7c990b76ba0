import { ConfigError, got } from './errors.js'
import type { ParentLink } from './runtime.js'
import type { Order, Spec } from './spec.js'
import { type AnyTool, isTool } from './tools/tool.js'

/** What an option must be: a test, and words for it. */
type Rule = readonly [(value: unknown) => boolean, string]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isWhole = (value: unknown): boolean =>
  (Number.isInteger(value) && (value as number) >= 1) || value === Number.POSITIVE_INFINITY
const hasMethods =
  (...names: string[]): Rule[0] =>
  (value) =>
    isObject(value) && names.every((name) => typeof value[name] === 'function')

const TEXT: Rule = [(value) => typeof value === 'string', 'a string']
const NAME: Rule = [(value) => typeof value === 'string' && value !== '', 'a string that is not empty']
const LIST: Rule = [Array.isArray, 'an array']
const OBJECT: Rule = [isObject, 'an object']
const ANYTHING: Rule = [() => true, 'anything']
const MAX_TURNS: Rule = [isWhole, 'a whole number from 1, or Infinity']
const CONFLICT: Rule = [(value) => value === 'reject', "'reject'"]

// The provider itself, and its key, are looked up by its first use: the table of providers is not loaded before.
const NAMED_MODEL = /^(?:[^:]+:.+|(?:gpt-|o\d|claude-|gemini-).*)$/s

const AGENT: Readonly<Record<string, Rule>> = {
  model: [
    (value) => (typeof value === 'string' && NAMED_MODEL.test(value)) || hasMethods('generate')(value),
    'a model, or a string "provider:model" such as "openai:gpt-5.4"',
  ],
  name: NAME,
  tools: LIST,
  middleware: LIST,
  systemPrompt: TEXT,
  stateSchema: ANYTHING,
  contextSchema: ANYTHING,
  responseFormat: ANYTHING,
  toolChoice: [
    (value) =>
      ['auto', 'none', 'required'].includes(value as string) || (isObject(value) && typeof value.name === 'string'),
    "'auto', 'none', 'required' or { name }",
  ],
  settings: OBJECT,
  checkpointer: [hasMethods('read', 'append'), 'a checkpointer, such as memoryCheckpointer()'],
  store: [hasMethods('get', 'put', 'delete', 'search'), 'a store, such as memoryStore()'],
  maxTurns: MAX_TURNS,
  toolConcurrency: [isWhole, 'a whole number from 1, or Infinity'],
  toolErrors: [(value) => value === 'throw' || isFunction(value), "'throw' or a function (error, request) => text"],
  onConflict: CONFLICT,
}

const RUN: Readonly<Record<string, Rule>> = {
  threadId: NAME,
  context: OBJECT,
  signal: [
    (value) => isObject(value) && typeof value.addEventListener === 'function' && 'aborted' in value,
    'an AbortSignal',
  ],
  tools: LIST,
  tags: [(value) => Array.isArray(value) && value.every((tag) => typeof tag === 'string'), 'an array of strings'],
  metadata: OBJECT,
  callbacks: ANYTHING,
  maxTurns: MAX_TURNS,
  onConflict: CONFLICT,
}

/** @throws ConfigError naming the subject and the key: unknown, or not what it must be. `undefined` counts as absent. */
function check(options: unknown, rules: Readonly<Record<string, Rule>>, subject: string): Record<string, unknown> {
  if (!isObject(options)) throw new ConfigError(`${subject}: expected an object of options, got ${got(options)}`)
  for (const key of Object.keys(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    if (rule === undefined)
      throw new ConfigError(`${subject}: unknown option "${key}"; expected one of ${Object.keys(rules).join(', ')}`)
    const [fits, words] = rule
    if (options[key] !== undefined && !fits(options[key]))
      throw new ConfigError(`${subject}: expected ${key} to be ${words}, got ${got(options[key])}`)
  }
  return options
}

/** Checks the options of `createAgent`. @throws ConfigError */
export function checkAgentOptions(options: unknown): void {
  const checked = check(options, AGENT, 'createAgent()')
  if (checked.model === undefined)
    throw new ConfigError(
      'createAgent(): expected model to be a model, or a string "provider:model" such as "openai:gpt-5.4", got undefined',
    )
  checkTools(checked.tools, 'createAgent(): tools')
}

function checkTools(tools: unknown, subject: string): void {
  for (const [index, tool] of ((tools ?? []) as unknown[]).entries()) {
    if (!isTool(tool))
      throw new ConfigError(`${subject}[${index}]: expected a tool made by tool() or providerTool(), got ${got(tool)}`)
  }
}

/** Reads the options of a run. @throws ConfigError */
export function readOrder(input: unknown, options: unknown, spec: Spec, parent?: ParentLink): Order {
  const read = check(options ?? {}, RUN, 'run options')
  checkTools(read.tools, 'run options: tools')
  if (read.threadId !== undefined && spec.checkpointer === undefined) {
    throw new ConfigError(
      'run options: threadId needs an agent with a checkpointer; expected createAgent({ checkpointer: memoryCheckpointer() }) or another',
    )
  }
  const { callbacks } = read
  return {
    input,
    threadId: read.threadId as string | undefined,
    context: read.context ?? parent?.context,
    signal: read.signal as AbortSignal | undefined,
    tools: (read.tools as readonly AnyTool[] | undefined) ?? NONE,
    config: parent?.config ?? {
      tags: (read.tags as readonly string[] | undefined) ?? NONE,
      metadata: (read.metadata as Record<string, unknown> | undefined) ?? {},
      ...(callbacks !== undefined && { callbacks }),
    },
    maxTurns: Math.min(
      (read.maxTurns as number | undefined) ?? spec.maxTurns,
      Math.max(1, parent?.turnsLeft ?? Number.POSITIVE_INFINITY),
    ),
    parent,
  }
}

const NONE: readonly never[] = Object.freeze([])
