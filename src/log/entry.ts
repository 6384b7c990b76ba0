import type { StopReason } from '../events.js'
import type { Interrupt } from '../interrupt.js'
import type { AssistantMessage, ToolMessage } from '../messages.js'
import type { ModelResponse } from '../models/model.js'
import type { OwnedUpdate } from '../state.js'
import type { Usage } from '../usage.js'

/** A part of a run that is committed as a whole. */
export type Phase = 'start' | 'model' | 'decided' | 'turn' | 'end'

/** Where a run goes after a commit; with `'end'`, why. */
export type Route = { readonly next: 'model' | 'tools' } | { readonly next: 'end'; readonly stopReason: StopReason }

/** What is in a log: what happened in a run, in order. `seq` is given by the log. */
export type EntryBody =
  /** A run takes the thread; begins a leg. */
  | { readonly kind: 'claim'; readonly leg: number }
  /** The core of a model call returned or failed: an effect. `path` is the way of handler calls. */
  | {
      readonly kind: 'model'
      readonly turn: number
      readonly path: string
      readonly status: 'done' | 'failed' | 'aborted'
      readonly message?: AssistantMessage
      readonly finishReason?: ModelResponse['finishReason']
      readonly usage: Usage
      readonly error?: unknown
    }
  /** The body of a tool is about to be entered. */
  | {
      readonly kind: 'tool-start'
      readonly turn: number
      readonly call: string
      readonly path: string
      readonly tool: string
      readonly attempt: number
    }
  /** The body of a tool settled with a result: an effect. */
  | {
      readonly kind: 'tool'
      readonly turn: number
      readonly call: string
      readonly path: string
      readonly status: 'done' | 'failed' | 'aborted'
      readonly message?: ToolMessage
      readonly error?: unknown
    }
  /** A tool call left its onion. */
  | {
      readonly kind: 'outcome'
      readonly turn: number
      readonly call: string
      readonly message: ToolMessage
      readonly updates: readonly OwnedUpdate[]
    }
  /** A question. */
  | { readonly kind: 'interrupt'; readonly turn: number; readonly interrupt: Interrupt }
  /** A phase is done. State is the fold of these. */
  | {
      readonly kind: 'commit'
      readonly turn: number
      readonly phase: Phase
      readonly updates: readonly OwnedUpdate[]
      readonly route: Route
    }
  /** The leg ended. */
  | { readonly kind: 'end'; readonly stopReason: StopReason | 'error'; readonly usage: Usage }

/** An entry of a thread's log. */
export type Entry = EntryBody & { readonly seq: number; readonly runId: string }
