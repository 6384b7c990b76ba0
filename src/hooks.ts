import { type Goto, isCommand } from './command.js'
import { got, StateError } from './errors.js'
import type { StopReason } from './events.js'
import type { Scope } from './internal/scope.js'
import type { Route } from './log/entry.js'
import type { Ledger } from './log/ledger.js'
import { blame } from './onion.js'
import type { RunContext } from './requests.js'
import type { Runtime } from './runtime.js'
import type { NamedHook } from './stack.js'

/** The gotos of one phase: `'end'` beats `'model'` beats `'tools'`, whatever the order. */
export class Gotos {
  target: Goto | undefined
  #stopReason: StopReason = 'goto'

  /** Silence changes nothing. @throws StateError for what is no goto. */
  add(goto: Goto | undefined | null, stopReason: StopReason = 'goto'): void {
    if (goto === undefined || goto === null) return
    if (goto !== 'end' && goto !== 'model' && goto !== 'tools') {
      throw new StateError(`goto: expected 'end', 'model' or 'tools', got ${got(goto)}`)
    }
    if (this.target === 'end' || (this.target === 'model' && goto === 'tools')) return
    this.target = goto
    this.#stopReason = stopReason
  }

  /** Where they send the run, if anywhere. */
  get route(): Route | undefined {
    if (this.target === 'end') return { next: 'end', stopReason: this.#stopReason }
    return this.target && { next: this.target }
  }

  /** The same, used up. */
  take(): Route | undefined {
    const route = this.route
    this.target = undefined
    return route
  }
}

/** What a hook needs of its run. */
export interface HookHost {
  readonly state: RunContext['state']
  readonly runtime: Runtime
  readonly scope: Scope
  readonly ledger: Ledger
}

/** Runs one hook and applies what it gives back: an update, a command, or nothing. @throws StateError for anything else. */
export async function runHook(hook: NamedHook, host: HookHost, gotos: Gotos): Promise<void> {
  try {
    const running = hook.run(host.state, host.runtime)
    apply(running instanceof Promise ? await host.scope.race(running) : await running, hook.name, host, gotos)
  } catch (error) {
    if (!host.scope.aborted) blame(error, hook.name)
    throw error
  }
}

function apply(given: unknown, name: string, host: HookHost, gotos: Gotos): void {
  if (given === undefined || given === null) return
  const owner = `middleware "${name}"`
  if (isCommand(given)) {
    if (given.update) host.ledger.update(owner, given.update)
    if (given.messages) host.ledger.update(owner, { messages: given.messages })
    gotos.add(given.goto, given.stopReason)
  } else if (typeof given === 'object' && !Array.isArray(given))
    host.ledger.update(owner, given as Record<string, unknown>)
  else throw new StateError(`${owner}: expected its hook to give an update, a command or nothing, got ${got(given)}`)
}
