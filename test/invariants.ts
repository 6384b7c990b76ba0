import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import type { AgentEvent } from '../src/events.js'
import type { Interrupt } from '../src/interrupt.js'
import { callsOf, type Message, type ToolMessage, textOf } from '../src/messages.js'

// The oracle: what holds at the end of every scenario, whatever it was. Each check throws one error that lists all
// that is wrong.

/** What the oracle reads of the result of a run. */
export interface Outcome {
  readonly messages: readonly Message[]
  readonly interrupts: readonly Interrupt[]
  readonly done: readonly ToolMessage[]
}

/** Checks the result of a run: its history, and that a paused call is either asked about or done. */
export function oracle(result: Outcome): void {
  const asked = result.interrupts.flatMap(({ path, toolCallId }) => path[0] ?? toolCallId ?? [])
  const done = result.done.map(({ tool_call_id: id }) => id)
  const faults = [
    ...(done.length > 0 && asked.length === 0 ? [`done has ${done.join(', ')}, and nothing is asked`] : []),
    ...done.filter((id) => asked.includes(id)).map((id) => `call ${id} is asked about and done`),
    ...repeated(done).map((id) => `call ${id} is done twice`),
    ...repeated(result.interrupts.map(({ id }) => id)).map((id) => `question ${id} is there twice`),
  ]
  fail('result', [...faults, ...historyFaults(result.messages, [...asked, ...done])])
}

/**
 * Checks that every call has exactly one result, right behind its message, in call order; that no result stands
 * alone; and that ids are unique. `pending` are the calls that are open, all of the last assistant message.
 */
export function checkHistory(messages: readonly Message[], options: { pending?: readonly string[] } = {}): void {
  fail('history', historyFaults(messages, options.pending ?? []))
}

function historyFaults(messages: readonly Message[], pending: readonly string[]): string[] {
  const faults: string[] = []
  const open = new Set(pending)
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  let index = 0
  while (index < messages.length) {
    const message = messages[index]
    if (message?.role === 'tool') faults.push(`message ${index} answers ${message.tool_call_id} and nobody asked there`)
    const calls = callsOf(message).map(({ id }) => id)
    faults.push(...repeated(calls).map((id) => `message ${index} has the call id ${id} twice`))
    const at = index++
    const results: string[] = []
    for (let next = messages[index]; calls.length > 0 && next?.role === 'tool'; next = messages[++index]) {
      results.push(next.tool_call_id)
    }
    const mayBeOpen = at === last ? calls.filter((id) => open.has(id)) : []
    const expected = calls.filter((id) => !mayBeOpen.includes(id))
    if (results.join('\n') !== expected.join('\n')) {
      faults.push(`message ${at} calls [${expected.join(', ')}] and is answered by [${results.join(', ')}]`)
    }
    for (const id of mayBeOpen) open.delete(id)
  }
  faults.push(...[...open].map((id) => `call ${id} is pending, but the last assistant message does not hold it`))
  const ids = messages.flatMap(({ id }) => id ?? [])
  faults.push(...repeated(ids).map((id) => `the message id ${id} is there twice`))
  return faults
}

/**
 * Checks the events of one run, read to the end: one beginning and one end; entries of models that begin and end;
 * calls that began and have a result, or are asked about; and deltas that join to the text of the message they were of.
 */
export function checkEvents(all: readonly AgentEvent[]): void {
  const events = all.filter(({ path }) => path.length === 0)
  const faults: string[] = []
  const of = <T extends AgentEvent['type']>(type: T): Extract<AgentEvent, { type: T }>[] =>
    events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type)

  const ends = [...of('run-end'), ...of('error')]
  if (events[0]?.type !== 'run-start' || of('run-start').length !== 1) faults.push('expected one run-start, first')
  if (ends.length !== 1 || events.at(-1) !== ends[0]) faults.push('expected one run-end or error, last')

  const entries = (type: 'model-start' | 'model-end'): string[] =>
    of(type).map(({ messageId, attempt }) => `${messageId} attempt ${attempt}`)
  faults.push(
    ...unmatched(entries('model-start'), entries('model-end')).map((entry) => `${entry} began or ended alone`),
  )

  if (ends[0]?.type === 'run-end' && ends[0].stopReason !== 'aborted') {
    const asked = of('interrupt').flatMap(({ interrupts }) =>
      interrupts.flatMap(({ path, toolCallId }) => path[0] ?? toolCallId ?? []),
    )
    const answered = [...of('tool-result').map(({ message }) => message.tool_call_id), ...asked]
    const silent = of('tool-start').filter(({ toolCall }) => !answered.includes(toolCall.id))
    faults.push(...silent.map(({ toolCall }) => `call ${toolCall.id} began and has no result`))
  }

  for (const { message } of of('message')) {
    if (message.role !== 'assistant') continue
    const mine = of('delta').filter(({ messageId }) => messageId === message.id)
    const from = mine.findLastIndex(({ delta }) => delta.type === 'reset') + 1
    const shown = mine.slice(from).flatMap(({ delta }) => (delta.type === 'text' ? delta.text : []))
    if (shown.length > 0 && shown.join('') !== textOf(message.content ?? '')) {
      faults.push(`message ${message.id} was shown as ${JSON.stringify(shown.join(''))}`)
    }
  }
  fail('events', faults)
}

/** Kinds of things that keep a process busy, and that a run must have let go of when it ends. */
const WATCHED = new Set(['Timeout', 'Immediate', 'TCPWRAP', 'TCPSERVERWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'MESSAGEPORT'])

/** Where Node keeps things for later uses: the connections of `fetch`, and the date that `http` writes. */
const OF_NODE = /node:internal\/(?:deps\/undici|http:)/

/**
 * Runs a scenario and checks that nothing it began is left: no timer, socket or process that was made in it, and no
 * abort listener on the given signals.
 */
export async function checkNoLeaks<T>(scenario: () => Promise<T>, signals: readonly AbortSignal[] = []): Promise<T> {
  const inside = new AsyncLocalStorage<true>()
  const alive = new Map<number, string>()
  const hook = createHook({
    init(id, type) {
      if (!WATCHED.has(type) || inside.getStore() !== true) return
      const stack = new Error(type).stack ?? type
      if (!OF_NODE.test(stack)) alive.set(id, stack)
    },
    destroy: (id) => alive.delete(id),
  })
  const listeners = signals.map(listenersOf)
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  hook.enable()
  try {
    const value = await inside.run(true, scenario)
    // What was closed just now is reported gone a few rounds of the event loop later.
    for (let round = 0; round < 5; round++) await inside.exit(() => new Promise((resolve) => setImmediate(resolve)))
    const kept = signals.flatMap((signal, index) => {
      const more = listenersOf(signal) - (listeners[index] ?? 0)
      return more === 0 ? [] : [`signal ${index} has ${more} more abort listeners than before`]
    })
    fail('end', [...[...alive.values()].map((stack) => `still there: ${stack}`), ...kept])
    return value
  } finally {
    hook.disable()
    Error.stackTraceLimit = stackTraceLimit
  }
}

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

const repeated = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))]

const unmatched = (left: readonly string[], right: readonly string[]): string[] => {
  const rest = [...right]
  const alone = left.filter((one) => {
    const at = rest.indexOf(one)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return [...alone, ...rest]
}

function fail(what: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`broken ${what}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`)
}
