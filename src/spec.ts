import type { ToolErrors } from './batch.js'
import type { Checkpointer } from './checkpointers/checkpointer.js'
import type { Model } from './models/model.js'
import type { ModelRequestChange } from './requests.js'
import type { ParentLink, Runtime } from './runtime.js'
import type { Stack } from './stack.js'
import type { Store } from './stores/store.js'
import type { AnyTool } from './tools/tool.js'

/** An agent as its runs see it: checked, built, immutable. */
export interface Spec {
  readonly name: string
  readonly stack: Stack
  readonly request: Pick<ModelRequestChange, 'model' | 'systemPrompt' | 'toolChoice' | 'responseFormat' | 'settings'>
  readonly checkpointer: Checkpointer | undefined
  readonly store: Store | undefined
  readonly maxTurns: number
  readonly toolConcurrency: number
  readonly toolErrors: ToolErrors | undefined
  /** Models made from strings, by string. */
  readonly models: Map<string, Promise<Model>>
}

/** What a run was asked for, checked. */
export interface Order {
  readonly input: unknown
  readonly threadId: string | undefined
  /** Parsed by the run itself, at its start. */
  readonly context: unknown
  readonly signal: AbortSignal | undefined
  readonly tools: readonly AnyTool[]
  readonly config: Runtime['config']
  readonly maxTurns: number
  readonly parent: ParentLink | undefined
}
