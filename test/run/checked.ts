import type { AgentEvent, AgentStream, Kind, RunResult } from 'cepa'
import type { ScriptedModel } from 'cepa/models/scripted'
import { checkEvents, checkHistory, type Outcome, oracle } from '../invariants.js'

/** The oracle at the end of a scenario: on the result, and on each request that a model saw. Gives the result. */
export function checked<R extends Outcome>(result: R, ...models: readonly ScriptedModel[]): R {
  oracle(result)
  for (const model of models) for (const { messages } of model.calls) checkHistory(messages)
  return result
}

/** The same for a run that is still to end. */
export const checkedRun = async <R extends Outcome>(run: Promise<R>, ...models: readonly ScriptedModel[]): Promise<R> =>
  checked(await run, ...models)

/** Reads a stream to its end, checks its events, and gives them with the result. */
export async function readAll<K extends Kind>(
  stream: AgentStream<K>,
): Promise<{ events: AgentEvent[]; result: RunResult<K> }> {
  const events: AgentEvent[] = []
  for await (const event of stream) events.push(event)
  checkEvents(events)
  return { events, result: checked(await stream.result) }
}

/** A promise that is resolved from outside. */
export interface Gate<T = void> {
  readonly promise: Promise<T>
  open(value: T): void
}

/** A gate for a test to wait at. */
export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

/** What a promise rejects with; fails if it does not. */
export const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )

/** A round of the event loop. */
export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
