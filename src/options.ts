import { ConfigError, got } from './errors.js'
import {
  ANYTHING,
  COUNT,
  check,
  checkValue,
  isFunction,
  isObject,
  NAME,
  OBJECT,
  oneOf,
  type Rule,
  type Rules,
  SIGNAL,
  TEXT,
} from './internal/check.js'
import type { ParentLink } from './runtime.js'
import type { Order, Spec } from './spec.js'
import { type AnyTool, isTool } from './tools/tool.js'

const hasMethods =
  (...names: string[]): Rule[0] =>
  (value) =>
    isObject(value) && names.every((name) => typeof value[name] === 'function')

const LIST: Rule = [Array.isArray, 'an array']
const CONFLICT = oneOf('reject')

// The provider itself, and its key, are looked up by its first use: the table of providers is not loaded before.
const NAMED_MODEL = /^(?:[^:]+:.+|(?:gpt-|o\d|claude-|gemini-).*)$/s

const MODEL: Rule = [
  (value) => (typeof value === 'string' && NAMED_MODEL.test(value)) || hasMethods('generate')(value),
  'a model, or a string "provider:model" such as "openai:gpt-5.4"',
]

const AGENT: Rules = {
  model: MODEL,
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
  maxTurns: COUNT,
  toolConcurrency: COUNT,
  toolErrors: [(value) => value === 'throw' || isFunction(value), "'throw' or a function (error, request) => text"],
  onConflict: CONFLICT,
}

const RUN: Rules = {
  threadId: NAME,
  context: OBJECT,
  signal: SIGNAL,
  tools: LIST,
  tags: [(value) => Array.isArray(value) && value.every((tag) => typeof tag === 'string'), 'an array of strings'],
  metadata: OBJECT,
  callbacks: ANYTHING,
  maxTurns: COUNT,
  onConflict: CONFLICT,
}

/** Checks the options of `createAgent`. @throws ConfigError */
export function checkAgentOptions(options: unknown): void {
  const checked = check(options, AGENT, 'createAgent()')
  checkValue(checked.model, MODEL, 'createAgent(): expected model')
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
    throw new ConfigError('run options: threadId needs createAgent({ checkpointer })')
  }
  const { callbacks } = read
  return {
    input,
    threadId: read.threadId as string | undefined,
    context: read.context ?? parent?.host.context,
    signal: read.signal as AbortSignal | undefined,
    tools: (read.tools as readonly AnyTool[] | undefined) ?? NONE,
    config: parent?.host.config ?? {
      tags: (read.tags as readonly string[] | undefined) ?? NONE,
      metadata: (read.metadata as Record<string, unknown> | undefined) ?? {},
      ...(callbacks !== undefined && { callbacks }),
    },
    maxTurns: (read.maxTurns as number | undefined) ?? spec.maxTurns,
    parent,
  }
}

const NONE: readonly never[] = Object.freeze([])
