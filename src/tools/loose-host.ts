import { ConfigError } from '../errors.js'
import { newId } from '../internal/id.js'
import type { Scope } from '../internal/scope.js'
import type { RuntimeHost } from '../runtime.js'
import { addUsage, NO_USAGE, type Usage } from '../usage.js'

const EMPTY_STATE: object = Object.freeze({ messages: Object.freeze([]) })
const CONFIG = Object.freeze({ tags: Object.freeze([]), metadata: Object.freeze({}) })

/**
 * What a tool's runtime stands on outside an agent: a random run id, turn 0, no thread, no messages, a writer that does
 * nothing. The store and side calls to a model are a `ConfigError`.
 */
export class LooseHost implements RuntimeHost {
  readonly runId: string = newId()
  readonly threadId = null
  readonly turns = 0
  readonly turnsLeft: number = Number.POSITIVE_INFINITY
  readonly spendTurn = (): void => {}
  readonly path: readonly string[] = []
  readonly state: object = EMPTY_STATE
  readonly config: RuntimeHost['config'] = CONFIG
  readonly serverInfo = null
  readonly remembered: Map<string, Promise<unknown>> = new Map()
  readonly ledger: RuntimeHost['ledger'] = { listening: false }
  readonly context: object
  readonly scope: Scope
  usage: Usage = NO_USAGE

  constructor(context: object, scope: Scope) {
    this.context = context
    this.scope = scope
  }

  get store(): never {
    throw new ConfigError(
      'runtime.store: there is none outside an agent; expected a tool of createAgent({ store, tools })',
    )
  }

  get signal(): AbortSignal {
    return this.scope.signal
  }

  write(): void {}

  generate(): Promise<never> {
    return Promise.reject(
      new ConfigError(
        'runtime.generate: there is no model outside an agent; expected a tool of createAgent({ tools })',
      ),
    )
  }

  forward(): void {}

  addUsage(usage: Usage): void {
    this.usage = addUsage(this.usage, usage)
  }
}
