import { ConfigError } from '../errors.js'
import type { ToolRuntime } from '../runtime.js'
import { Scrubber } from './scrubber.js'
import { isSecret } from './secret.js'
import type { Secrets } from './secrets.js'
import type { AnyTool, Inject } from './tool.js'

/** The dependencies of one call. */
export interface Deps {
  /** Runs the factories: a frozen record for `runtime.deps`; a promise only where a factory is asynchronous. */
  make(): object | Promise<object>
  /** Disposes what was made, the last first. A promise only where there is something to wait for. Call it once. */
  dispose(): void | Promise<void>
}

/** Options of {@link makeDeps}. */
export interface DepsOptions {
  /** Learns the value of each secret. */
  readonly secrets: Secrets
  /** Is told what a disposal threw; the result of the call stands all the same. */
  readonly onDisposeError?: ((error: unknown) => void) | undefined
}

interface Slot {
  value?: unknown
  pending?: Promise<unknown>
  error?: unknown
  state: 'making' | 'made' | 'failed'
  /** The slots that its factory has read while it was not finished. */
  readonly reads: Set<string>
}

/**
 * Makes the dependencies of one call. All factories of the tool are run before its body is entered, in the order of
 * `inject`, each awaited before the next; each runs once. A factory gets the runtime and may read another one by
 * `runtime.deps.other`, which makes that one first: its value, or a promise of it where its factory is asynchronous
 * (`await` fits both). What has `Symbol.asyncDispose` or `Symbol.dispose` is disposed after the call, the last made
 * first, also after a throw or an abort; what is to outlive the call is handed in wrapped (`() => ({ pool })`).
 *
 * `make` throws what a factory throws, and a ConfigError for factories that wait for one another, naming the chain, and
 * for a secret that is not there.
 */
export function makeDeps(
  tool: Pick<AnyTool, 'name' | 'inject'>,
  runtimeWith: (deps: object) => ToolRuntime,
  options: DepsOptions,
): Deps {
  return new CallDeps(tool, runtimeWith, options)
}

class CallDeps implements Deps {
  readonly #tool: Pick<AnyTool, 'name' | 'inject'>
  readonly #runtimeWith: (deps: object) => ToolRuntime
  readonly #options: DepsOptions
  readonly #slots = new Map<string, Slot>()
  readonly #made: unknown[] = []
  #closed = false

  constructor(
    tool: Pick<AnyTool, 'name' | 'inject'>,
    runtimeWith: (deps: object) => ToolRuntime,
    options: DepsOptions,
  ) {
    this.#tool = tool
    this.#runtimeWith = runtimeWith
    this.#options = options
  }

  make(): object | Promise<object> {
    return this.#makeFrom(Object.keys(this.#tool.inject), 0)
  }

  #makeFrom(keys: readonly string[], start: number): object | Promise<object> {
    for (let index = start; index < keys.length; index++) {
      const { pending } = this.#slot(keys[index] as string)
      // The caller may be aborted while this waits: then nothing more is made.
      if (pending) return pending.then(() => (this.#closed ? {} : this.#makeFrom(keys, index + 1)))
    }
    return Object.freeze(Object.fromEntries(keys.map((key) => [key, this.#slots.get(key)?.value])))
  }

  #slot(key: string): Slot {
    const known = this.#slots.get(key)
    if (known?.state === 'failed' && !known.pending) throw known.error
    if (known) return known
    const slot: Slot = { state: 'making', reads: new Set() }
    this.#slots.set(key, slot)
    let value: unknown
    try {
      const make = this.#tool.inject[key] as Inject
      value = make(this.#runtimeWith(this.#viewFor(key, slot)))
    } catch (error) {
      slot.state = 'failed'
      slot.error = error
      throw error
    }
    if (isThenable(value)) {
      slot.pending = Promise.resolve(value).then((settled) => this.#enter(key, slot, settled))
      slot.pending.catch(() => {
        slot.state = 'failed'
      })
    } else this.#enter(key, slot, value)
    return slot
  }

  #enter(key: string, slot: Slot, value: unknown): unknown {
    slot.value = value
    slot.state = 'made'
    if (isSecret(value)) this.#admit(key, value.reveal())
    delete slot.pending
    if (disposerOf(value)) {
      this.#made.push(value)
      // It came after the call was over.
      if (this.#closed) void this.#disposeAll()
    }
    return value
  }

  #admit(key: string, value: unknown): void {
    if (value === undefined || value === null || value === '') {
      throw new ConfigError(
        `tool "${this.#tool.name}": inject.${key} expected its secret to give a value, got ${value === '' ? 'an empty string' : String(value)}; is the variable set?`,
      )
    }
    const { secrets } = this.#options
    secrets.scrubber ??= new Scrubber()
    secrets.scrubber.add(value)
  }

  /** What the factory of one key sees as `runtime.deps`: whatever it reads is made now. */
  #viewFor(owner: string, slot: Slot): object {
    const view = {}
    for (const key of Object.keys(this.#tool.inject)) {
      Object.defineProperty(view, key, { enumerable: true, get: () => this.#read(owner, slot, key) })
    }
    return Object.freeze(view)
  }

  #read(owner: string, slot: Slot, key: string): unknown {
    if (slot.state === 'making') {
      const chain = this.#path(key, owner, new Set())
      if (chain) {
        throw new ConfigError(
          `tool "${this.#tool.name}": its dependencies wait for one another: ${[owner, ...chain].map((name) => `inject.${name}`).join(' → ')}; expected factories without a cycle`,
        )
      }
      slot.reads.add(key)
    }
    const { pending, value } = this.#slot(key)
    return pending ?? value
  }

  /** How one unfinished factory has come to wait for another. */
  #path(from: string, to: string, seen: Set<string>): readonly string[] | undefined {
    if (from === to) return [to]
    const slot = this.#slots.get(from)
    if (slot?.state !== 'making' || seen.has(from)) return undefined
    seen.add(from)
    for (const next of slot.reads) {
      const rest = this.#path(next, to, seen)
      if (rest) return [from, ...rest]
    }
    return undefined
  }

  dispose(): void | Promise<void> {
    this.#closed = true
    return this.#disposeAll()
  }

  #disposeAll(): void | Promise<void> {
    while (this.#made.length > 0) {
      const value = this.#made.pop()
      try {
        const done: unknown = disposerOf(value)?.call(value)
        if (isThenable(done)) {
          return Promise.resolve(done)
            .catch((error: unknown) => this.#options.onDisposeError?.(error))
            .then(() => this.#disposeAll())
        }
      } catch (error) {
        // The work of the call is done: a failure to tidy up must not hide its result.
        this.#options.onDisposeError?.(error)
      }
    }
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const DISPOSERS: readonly symbol[] = [Symbol.asyncDispose, Symbol.dispose].filter((key) => typeof key === 'symbol')

function disposerOf(value: unknown): ((this: unknown) => unknown) | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  for (const key of DISPOSERS) {
    const dispose = (value as Record<symbol, unknown>)[key]
    if (typeof dispose === 'function') return dispose as (this: unknown) => unknown
  }
  return undefined
}
