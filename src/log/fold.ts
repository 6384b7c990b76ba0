import type { State } from '../state.js'
import type { Entry } from './entry.js'

/** What a thread's log says of its last turn, if that was never closed. */
export interface OpenTurn {
  readonly outcomes: readonly Extract<Entry, { kind: 'outcome' }>[]
}

/** Folds the commits of a log into a state; gives the turn that is still open, if one is. */
export function fold(entries: readonly Entry[], state: State): OpenTurn | undefined {
  let outcomes: Extract<Entry, { kind: 'outcome' }>[] | undefined
  for (const entry of entries) {
    if (entry.kind === 'outcome') outcomes?.push(entry)
    if (entry.kind !== 'commit') continue
    for (const update of entry.updates) state.apply(update)
    if (entry.phase === 'model' && entry.route.next === 'tools') outcomes = []
    if (entry.phase === 'turn') outcomes = undefined
  }
  return outcomes && { outcomes }
}

/** Whether the newest claim of a log has no end: a run lives, or died. */
export const isClaimed = (entries: readonly Entry[]): boolean =>
  entries.findLastIndex((entry) => entry.kind === 'claim') > entries.findLastIndex((entry) => entry.kind === 'end')
