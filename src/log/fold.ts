import type { Checkpointer } from '../checkpointers/checkpointer.js'
import { ConflictError } from '../errors.js'
import type { State } from '../state.js'
import type { Entry } from './entry.js'
import { Log } from './log.js'

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

/** Reads a thread into a state; gives the log to go on with, and the turn that is still open. @throws ConflictError */
export async function openThread(
  runId: string,
  checkpointer: Checkpointer,
  id: string,
  state: State,
): Promise<{ readonly log: Log; readonly outcomes: OpenTurn['outcomes'] }> {
  const entries = await checkpointer.read(id)
  if (isClaimed(entries)) {
    throw new ConflictError(`thread "${id}" has a run going on; wait for it to end, or abort it`)
  }
  const outcomes = fold(entries, state)?.outcomes ?? []
  return { log: new Log(runId, { checkpointer, id }, entries.length), outcomes }
}
