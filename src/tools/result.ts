import { type Goto, isCommand } from '../command.js'
import { isMessage, type Part, type ToolMessage } from '../messages.js'
import { isPlainJson } from './plain-json.js'
import { seldom } from './seldom.js'

/** What a tool's body made, normalised: the parts of its tool message, and what it wants of the state and the route. */
export interface ToolOutcome {
  readonly content: string | Part[]
  readonly status: NonNullable<ToolMessage['status']>
  readonly artifact?: unknown
  /** In order. Messages other than the answer itself are in here, under `messages`. */
  readonly updates?: readonly Readonly<Record<string, unknown>>[]
  readonly goto?: Goto
  readonly stopReason?: 'limit' | 'goto'
}

/** What {@link toResult} reads of a tool. */
export interface ResultShape {
  readonly name: string
  readonly responseFormat: 'content' | 'content_and_artifact'
}

/**
 * Normalises what a tool returned: a value, a pair of content and artifact, a ready tool message, a command or an array
 * of commands. Several tool messages in a command are one answer. Never throws: what is not allowed is an error result.
 * Texts, numbers and plain records are read here; a promise only for the first value of any other kind.
 */
export function toResult(value: unknown, tool: ResultShape): ToolOutcome | Promise<ToolOutcome> {
  const content = tool.responseFormat === 'content' ? simpleContent(value) : undefined
  if (content !== undefined) return { content, status: 'success' }
  return seldom(({ resultOf }) => resultOf(value, tool))
}

/** The text of what most tools return; `undefined` for what is to be looked at more closely. */
function simpleContent(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  try {
    const isRecord = typeof value === 'object' && !Array.isArray(value) && !isCommand(value) && !isToolMessage(value)
    return isRecord && isPlainJson(value) ? JSON.stringify(value) : undefined
  } catch {
    return undefined
  }
}

/** Tells whether a value is a ready tool message. */
export const isToolMessage = (value: unknown): value is ToolMessage => isMessage(value) && value.role === 'tool'
