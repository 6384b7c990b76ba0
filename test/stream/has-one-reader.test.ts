import { type AgentEvent, createAgent, createMiddleware, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { EventQueue } from '../../src/stream.js'
import { checked, gate, readAll, rejection, tick } from '../run/checked.js'

const collect = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const one of stream) all.push(one)
  return all
}

describe('a stream', () => {
  it('starts at once, and .result resolves without a reader', async () => {
    const model = scriptedModel(['text'])
    const stream = createAgent({ model }).stream('go')
    expect(checked(await stream.result, model).output).toBe('text')
    expect(model.calls[0]?.streaming).toBe(true)
    expect((await readAll(stream)).events.at(-1)).toMatchObject({ type: 'run-end' })
  })

  it('refuses a second reader, of events or of text', async () => {
    for (const first of ['events', 'text'] as const)
      for (const second of ['events', 'text'] as const) {
        const stream = createAgent({ model: scriptedModel(['text']) }).stream('go')
        const view = (which: 'events' | 'text'): AsyncIterable<unknown> => (which === 'text' ? stream.text : stream)
        await collect(view(first))
        await expect(collect(view(second))).rejects.toMatchObject({ code: 'CONFIG' })
      }
  })

  it('.text gives the pieces of text alone', async () => {
    const model = scriptedModel([{ reasoning: 'hm', deltas: ['Hel', 'lo'] }])
    expect(await collect(createAgent({ model }).stream('go').text)).toEqual(['Hel', 'lo'])
  })

  it('gives an error to the reader and to .result as the same object, with an error event in place of run-end', async () => {
    const boom = new Error('boom')
    const stream = createAgent({ model: scriptedModel([boom]) }).stream('go')
    const events: AgentEvent[] = []
    const caught = await rejection(
      (async () => {
        for await (const event of stream) events.push(event)
      })(),
    )
    expect(caught).toBe(boom)
    expect(await rejection(stream.result)).toBe(boom)
    expect(events.at(-1)).toMatchObject({ type: 'error', error: boom, usage: { requests: 1 } })
    expect(events.some(({ type }) => type === 'run-end')).toBe(false)
  })

  it('is no unhandled rejection when it fails and nobody looks', async () => {
    createAgent({ model: scriptedModel([]) }).stream('go')
    await tick()
  })

  it('case 126: never iterated, it ends like any run, and afterAgent runs', async () => {
    let ended = 0
    const end = createMiddleware({ name: 'end', afterAgent: () => void ended++ })
    const stream = createAgent({ model: scriptedModel(['x']), middleware: [end] }).stream('go')
    expect((await stream.result).stopReason).toBe('stop')
    expect(ended).toBe(1)
  })

  it('asks the model to wait for a slow reader, and for nobody else', async () => {
    let sent = 0
    const deltas = Array.from({ length: 1000 }, () => 'x')
    const model = scriptedModel([{ deltas }])
    const count = createMiddleware({
      name: 'count',
      wrapModelCall: (request, handler) =>
        handler(
          request.override({
            emit: (delta) => {
              sent++
              return request.emit(delta)
            },
          }),
        ),
    })
    const stream = createAgent({ model, middleware: [count] }).stream('go')
    const reader = stream[Symbol.asyncIterator]()
    await reader.next()
    for (let round = 0; round < 20; round++) await tick()
    expect(sent).toBeLessThan(300)
    for (let read = await reader.next(); !read.done; read = await reader.next());
    expect(sent).toBe(1000)
    expect((await stream.result).output).toHaveLength(1000)
  })

  it('keeps a bounded number of events without a reader, and says how many it dropped', async () => {
    const deltas = Array.from({ length: 25_000 }, () => 'x')
    const stream = createAgent({ model: scriptedModel([{ deltas }]) }).stream('go')
    expect((await stream.result).output).toHaveLength(25_000)
    const events = await collect(stream)
    expect(events.length).toBeLessThanOrEqual(10_000)
    expect(events[0]).toMatchObject({ type: 'notice', code: 'events_dropped' })
    const [first] = events
    const dropped = first?.type === 'notice' ? (first.detail as { dropped: number }).dropped : 0
    expect(dropped + events.length - 1, 'all deltas and what is round them').toBe(25_000 + 8)
    expect(events.at(-1)).toMatchObject({ type: 'run-end' })
  })

  it('hands on nothing after it was left', async () => {
    const entered = gate()
    const slow = tool(
      async () => {
        entered.open()
        await tick()
      },
      { name: 'slow', description: 'S.' },
    )
    const model = scriptedModel([{ toolCalls: [toolCall('slow')] }, 'never'])
    const stream = createAgent({ model, tools: [slow] }).stream('go')
    const reader = stream[Symbol.asyncIterator]()
    const pending = [reader.next(), reader.next(), reader.next()]
    await entered.promise
    await reader.return?.()
    await Promise.all(pending)
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(checked(await stream.result).stopReason).toBe('aborted')
  })
})

it('the queue gives nothing while there is room, and a promise only when the buffer is full', () => {
  const queue = new EventQueue()
  queue.read(() => {})
  const event: AgentEvent = { type: 'turn-start', runId: 'r', turn: 1, path: [] }
  const given = Array.from({ length: 300 }, () => queue.emit(event))
  expect(given.findIndex((one) => one !== undefined)).toBe(256)
})
