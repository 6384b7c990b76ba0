import { type Message, type MessageChange, removeMessages, repairPairs, replaceMessages } from 'cepa'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageList } from '../../src/message-list.js'
import { checkHistory } from '../invariants.js'

const RUNS = { numRuns: 1000 }
const id = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5')
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4')
const own = fc.option(id, { nil: undefined })
const withId = (message: Message, given: string | undefined): Message =>
  given === undefined ? message : { ...message, id: given }

const message: fc.Arbitrary<Message> = fc.oneof(
  own.map((given) => withId({ role: 'user', content: 'u' }, given)),
  own.map((given) => withId({ role: 'system', content: 's' }, given)),
  own.map((given) => withId({ role: 'assistant', content: 'a' }, given)),
  fc.tuple(fc.uniqueArray(callId, { minLength: 1, maxLength: 3 }), own).map(([ids, given]) =>
    withId(
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((one) => ({ id: one, type: 'function', function: { name: 'f', arguments: '{}' } })),
      },
      given,
    ),
  ),
  fc.tuple(callId, own).map(([one, given]) => withId({ role: 'tool', tool_call_id: one, content: 'r' }, given)),
)
const messages = fc.array(message, { maxLength: 8 })
const change: fc.Arbitrary<Message | MessageChange> = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 1, arbitrary: fc.array(id).map(removeMessages) },
  { weight: 1, arbitrary: messages.map(replaceMessages) },
)

describe('the messages of a state', () => {
  it('are paired after any sequence of appending, replacing and removing, but for the calls of the last reply', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), (updates) => {
        let ids = 0
        const list = new MessageList(() => `n${++ids}`)
        for (const update of updates) {
          list.apply(update, 'the test')
          const pending = list.open.map((call) => call.id)
          checkHistory(list.snapshot, { pending })
          expect(list.hasSystem).toBe(list.snapshot.some(({ role }) => role === 'system'))
          expect(list.snapshot.every((one) => Object.isFrozen(one) && one.id !== undefined)).toBe(true)
          for (const one of list.snapshot) expect(list.get(one.id as string)).toBe(one)
        }
        list.repair({})
        checkHistory(list.snapshot)
        expect(list.open).toEqual([])
      }),
      RUNS,
    )
  })

  it('keep what is not named: an update changes only the messages that it brings or removes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('u', 'a'), { maxLength: 6 }),
        fc.array(fc.nat(8), { maxLength: 3 }),
        (kinds, gone) => {
          let ids = 0
          const list = new MessageList(() => `n${++ids}`)
          list.apply(
            kinds.map((kind) => ({ role: kind === 'u' ? 'user' : 'assistant', content: kind })),
            'the test',
          )
          const before = list.snapshot
          list.apply(removeMessages(gone.map((at) => `n${at}`)), 'the test')
          expect(list.snapshot).toEqual(before.filter((one) => !gone.some((at) => one.id === `n${at}`)))
        },
      ),
      RUNS,
    )
  })
})

describe('repairPairs', () => {
  const plain = (list: readonly Message[]): Message[] => list.map(({ id: _, ...rest }) => rest as Message)

  it('gives a valid list, is idempotent, leaves valid lists as they are, and keeps all that is no tool message', () => {
    fc.assert(
      fc.property(messages, (given) => {
        const list = plain(given)
        for (const open of [false, true]) {
          const mended = repairPairs(list, { open })
          if (!open) checkHistory(mended)
          expect(repairPairs(mended, { open })).toBe(mended)
          const others = (all: readonly Message[]) => all.filter(({ role }) => role !== 'tool')
          expect(others(mended)).toEqual(others(list))
        }
      }),
      RUNS,
    )
  })

  it('is linear: ten thousand messages take milliseconds', () => {
    const list = Array.from(
      { length: 10_000 },
      (_, at): Message =>
        at % 2 === 0
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
            }
          : { role: 'tool', tool_call_id: `c${at - 1}`, content: 'r' },
    )
    for (const given of [
      list,
      list.filter((_, at) => at % 4 !== 1),
      [...list, { role: 'user', content: 'x' } as const],
    ]) {
      const started = performance.now()
      checkHistory(repairPairs(given))
      expect(performance.now() - started).toBeLessThan(1000)
    }
  })
})
