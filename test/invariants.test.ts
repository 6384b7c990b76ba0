import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, EventBody } from '../src/events.js'
import type { Interrupt } from '../src/interrupt.js'
import type { AssistantMessage, Message, ToolMessage } from '../src/messages.js'
import { user } from '../src/messages.js'
import { checkEvents, checkHistory, checkNoLeaks, oracle } from './invariants.js'

const asks = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const answers = (id: string): ToolMessage => ({ role: 'tool', tool_call_id: id, content: '' })

describe('the history', () => {
  const good: readonly (readonly Message[])[] = [
    [],
    [user('a'), asks('1', '2'), answers('1'), answers('2'), { role: 'assistant', content: 'b' }],
    [asks('1'), answers('1'), asks('1'), answers('1')],
  ]
  test.each(good.map((messages) => [messages]))('holds: %j', (messages) => {
    checkHistory(messages)
  })

  const bad: readonly (readonly [string, readonly Message[]])[] = [
    ['a call without a result', [asks('1')]],
    ['a result that nobody asked for', [answers('1')]],
    ['a result of another call', [asks('1'), answers('2')]],
    ['two results', [asks('1'), answers('1'), answers('1')]],
    ['the wrong order', [asks('1', '2'), answers('2'), answers('1')]],
    ['a message in between', [asks('1'), user('a'), answers('1')]],
    ['a call id twice in a message', [asks('1', '1'), answers('1'), answers('1')]],
    [
      'a message id twice',
      [
        { ...user('a'), id: 'x' },
        { ...user('b'), id: 'x' },
      ],
    ],
  ]
  test.each(bad)('goes red: %s', (_title, messages) => {
    expect(() => checkHistory(messages)).toThrow('broken history')
  })

  test('lets a pending call be open in the last assistant message only', () => {
    checkHistory([asks('1', '2'), answers('1')], { pending: ['2'] })
    const bad = [asks('1'), asks('2'), answers('2')]
    expect(() => checkHistory(bad, { pending: ['1'] })).toThrow('message 0 calls [1]')
    expect(() => checkHistory([asks('1'), answers('1')], { pending: ['1'] })).toThrow('answered by [1]')
    expect(() => checkHistory([user('a')], { pending: ['1'] })).toThrow('call 1 is pending')
  })
})

describe('a result', () => {
  const asking = (id: string, path: readonly string[] = []): Interrupt => ({
    id: `question-${id}`,
    toolCallId: id,
    path,
    payload: { type: 'tool', toolCall: { id, name: 'f', args: {} } },
  })

  test('of a paused run has each open call asked about or done', () => {
    const messages = [asks('1', '2', '3')]
    oracle({ messages, interrupts: [asking('1'), asking('inner', ['3'])], done: [answers('2')] })
    expect(() => oracle({ messages, interrupts: [asking('1')], done: [answers('2')] })).toThrow('calls [3]')
    const both = { messages, interrupts: [asking('1'), asking('3')], done: [answers('2'), answers('1')] }
    expect(() => oracle(both)).toThrow('call 1 is asked about and done')
  })

  test('goes red for results that are done while nothing is asked', () => {
    expect(() => oracle({ messages: [asks('1')], interrupts: [], done: [answers('1')] })).toThrow('nothing is asked')
  })
})

describe('events', () => {
  const at = (...bodies: EventBody[]): AgentEvent[] =>
    bodies.map((body) => ({ runId: 'r', turn: 1, path: [], ...body }) as AgentEvent)
  const start: EventBody = { type: 'run-start', threadId: null, leg: 1 }
  const end: EventBody = { type: 'run-end', stopReason: 'stop', usage: { requests: 1 } }
  const text = (value: string): EventBody => ({
    type: 'delta',
    messageId: 'm',
    attempt: 1,
    delta: { type: 'text', text: value },
  })
  const reset: EventBody = { type: 'delta', messageId: 'm', attempt: 1, delta: { type: 'reset' } }
  const said: EventBody = { type: 'message', message: { role: 'assistant', content: 'ab', id: 'm' } }
  const call = { id: '1', name: 'f', args: {} }

  test('hold', () => {
    checkEvents(at(start, text('x'), reset, text('a'), text('b'), said, end))
    checkEvents(at(start, { type: 'tool-start', toolCall: call }, { type: 'tool-result', message: answers('1') }, end))
  })

  const bad: readonly (readonly [string, AgentEvent[]])[] = [
    ['no beginning', at(end)],
    ['no end', at(start)],
    ['something after the end', at(start, end, text('a'))],
    [
      'a model that began and did not end',
      at(start, { type: 'model-start', messageId: 'm', attempt: 1, model: 'x' }, end),
    ],
    ['a call that began and has no result', at(start, { type: 'tool-start', toolCall: call }, end)],
    ['tokens that are not those of the message', at(start, text('a'), said, end)],
    ['tokens of a failed attempt without a reset', at(start, text('x'), text('ab'), said, end)],
  ]
  test.each(bad)('go red: %s', (_title, events) => {
    expect(() => checkEvents(events)).toThrow('broken events')
  })
})

describe('the end', () => {
  test('holds for timers that were cleared or fired, listeners that were removed, and servers that were closed', async () => {
    const { signal } = new AbortController()
    const value = await checkNoLeaks(async () => {
      clearTimeout(setTimeout(() => {}, 60_000))
      await new Promise((resolve) => setTimeout(resolve, 1))
      const listener = (): void => {}
      signal.addEventListener('abort', listener)
      signal.removeEventListener('abort', listener)
      const server = createServer((_request, response) => response.end('yes'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      return text
    }, [signal])
    expect(value).toBe('yes')
  })

  test('goes red for a timer, also one that does not keep the process alive', async () => {
    let timer: NodeJS.Timeout | undefined
    const leaky = checkNoLeaks(async () => {
      await Promise.resolve()
      timer = setTimeout(() => {}, 60_000)
      timer.unref()
    })
    await expect(leaky).rejects.toThrow(/still there: Error: Timeout[\s\S]*invariants\.test/)
    clearTimeout(timer)
  })

  test('goes red for a listener', async () => {
    const { signal } = new AbortController()
    const leaky = checkNoLeaks(async () => signal.addEventListener('abort', () => {}), [signal])
    await expect(leaky).rejects.toThrow('signal 0 has 1 more')
  })

  test('goes red for a server', async () => {
    const server = createServer()
    const leaky = checkNoLeaks(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
    await expect(leaky).rejects.toThrow('TCPSERVERWRAP')
    await new Promise((resolve) => server.close(resolve))
  })
})
