import type { Interrupt } from './interrupt.js'
import type { CallView, Message, ToolMessage } from './messages.js'
import type { Usage } from './usage.js'

/** Why a run ended. */
export type StopReason =
  | 'stop'
  | 'returnDirect'
  | 'interrupt'
  | 'maxTurns'
  | 'limit'
  | 'goto'
  | 'refusal'
  | 'length'
  | 'aborted'

/** Why a model stopped. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'refusal' | 'content_filter' | 'other'

/** A piece of a reply, while it is made. */
export type Delta =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** A piece of a call's arguments, as text. */
  | { readonly type: 'tool-args'; readonly toolCallId: string; readonly name: string; readonly text: string }
  /** What this model call showed so far is void: a new attempt begins. */
  | { readonly type: 'reset' }

/** Where an event comes from. */
export interface At {
  readonly runId: string
  /** From 1; 0 before the first turn. */
  readonly turn: number
  /** Tool call ids of the sub-agents above, outermost first; empty for the agent itself. */
  readonly path: readonly string[]
}

/** What a run streams. The last event is `run-end` or `error`; after `error` the iterator throws that same object. */
export type AgentEvent = At & EventBody

/** The events without their place. */
export type EventBody =
  /** A run begins. */
  | { readonly type: 'run-start'; readonly threadId: string | null; readonly leg: number }
  /** A turn begins. */
  | { readonly type: 'turn-start' }
  /** A turn is over; its results and updates are in the state. */
  | { readonly type: 'turn-end' }
  /** The core of a model call is entered: one per attempt. `attempt` counts from 1 within the turn. */
  | { readonly type: 'model-start'; readonly messageId: string; readonly attempt: number; readonly model: string }
  /** The core of a model call returned, or failed with `error`. */
  | {
      readonly type: 'model-end'
      readonly messageId: string
      readonly attempt: number
      readonly finishReason?: FinishReason
      readonly usage?: Usage
      readonly error?: unknown
    }
  /** A piece of a reply. `messageId` and `attempt` say of which. */
  | { readonly type: 'delta'; readonly messageId: string; readonly attempt: number; readonly delta: Delta }
  /** A message has entered the state. */
  | { readonly type: 'message'; readonly message: Message }
  /** Updates have entered the state, in order; without hidden fields. */
  | { readonly type: 'state'; readonly updates: readonly Readonly<Record<string, unknown>>[] }
  /** A tool call is entered. */
  | { readonly type: 'tool-start'; readonly toolCall: CallView }
  /** A generator tool yielded. */
  | { readonly type: 'tool-progress'; readonly toolCallId: string; readonly chunk: unknown }
  /** A tool call has its result; siblings may still run. */
  | { readonly type: 'tool-result'; readonly message: ToolMessage }
  /** Something that a tool, step or layer wrote by `runtime.writer(chunk)`. */
  | { readonly type: 'custom'; readonly toolCallId?: string; readonly chunk: unknown }
  /** The run pauses: all open questions, and the results of the turn that are there but not in the messages yet. */
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[]; readonly done: readonly ToolMessage[] }
  /** Something worth knowing that changes nothing; `code` is lower case. */
  | { readonly type: 'notice'; readonly code: string; readonly detail: unknown }
  /** The run ended. */
  | { readonly type: 'run-end'; readonly stopReason: StopReason; readonly usage: Usage }
  /** The run rejected. */
  | { readonly type: 'error'; readonly error: unknown; readonly usage: Usage }
