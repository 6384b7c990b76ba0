import { inspect } from 'node:util'
import { type AgentEvent, ConfigError, createAgent, Secret, secret, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checked, checkedRun, readAll, rejection } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

const VALUE = 'sk-TOPSECRET-0123456789'

test('A19: a tool is given what its inject makes', async () => {
  const pool = { query: () => 'two rows' }
  const orders = tool((_args, { deps }) => `${deps.db.query()} with ${deps.apiKey.reveal().length}`, {
    name: 'orders',
    description: 'Lists orders.',
    inject: { db: () => pool, apiKey: secret(() => VALUE) },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('orders')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [orders] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: `two rows with ${VALUE.length}`, status: 'success' })
})

test('A20: dependencies are made once a call, may need one another, and are let go, the newest first', async () => {
  const trace: string[] = []
  const disposable = (name: string) => ({
    name,
    async [Symbol.asyncDispose]() {
      trace.push(`-${name}`)
    },
  })
  const make = (body: () => unknown) =>
    tool(body, {
      name: 'work',
      description: 'Works.',
      inject: {
        session: (runtime) => {
          const { connection } = runtime.deps as { connection: { name: string } }
          trace.push(`+session on ${connection.name}`)
          return disposable('session')
        },
        connection: ({ toolCallId }) => {
          trace.push(`+connection for ${toolCallId}`)
          return disposable('connection')
        },
      },
    })
  const whole = ['+connection for call_1', '+session on connection', 'body', '-session', '-connection']

  const bodies = [
    () => void trace.push('body'),
    () => {
      trace.push('body')
      throw new Error('no')
    },
  ]
  for (const body of bodies) {
    trace.length = 0
    const withReads = tool(
      (_args, runtime) => {
        void (runtime.deps as Record<string, unknown>).session
        return body()
      },
      { name: 'work', description: 'Works.', inject: make(body).inject },
    )
    const model = scriptedModel([{ toolCalls: [toolCall('work')] }, 'ok'])
    await checkedRun(createAgent({ model, tools: [withReads] }).invoke('hi'), model)
    expect(trace).toEqual(whole)
  }

  trace.length = 0
  const controller = new AbortController()
  const waits = tool(
    async (_args, runtime) => {
      void (runtime.deps as Record<string, unknown>).session
      trace.push('body')
      controller.abort(new Error('enough'))
      await new Promise(() => {})
    },
    { name: 'work', description: 'Works.', inject: make(() => {}).inject },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('work')] }])
  const error = await rejection(createAgent({ model, tools: [waits] }).invoke('hi', { signal: controller.signal }))
  expect(error).toBe(controller.signal.reason)
  await expect.poll(() => trace).toEqual(whole)
})

test('A20: a circle of dependencies is a ConfigError that names it', async () => {
  type Both = { a: unknown; b: unknown }
  const round = tool((_args, { deps }) => String((deps as unknown as Both).a), {
    name: 'round',
    description: 'Goes round.',
    inject: { a: (runtime) => (runtime.deps as Both).b, b: (runtime) => (runtime.deps as Both).a },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('round')] }, 'ok'])
  const error = await rejection(createAgent({ model, tools: [round] }).invoke('hi'))
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as Error).message).toMatch(/\ba\b.*\bb\b.*\ba\b/)
})

test('A21: the model sees nothing of what is injected, and cannot fill it', async () => {
  const seen: unknown[] = []
  const pay = tool(
    (args, { deps }) => {
      seen.push(args, deps.apiKey.reveal())
      return 'paid'
    },
    {
      name: 'pay',
      description: 'Pays.',
      schema: z.object({ sum: z.number() }),
      inject: { apiKey: secret(() => VALUE) },
    },
  )
  const { bodies } = await overTheWire(
    [
      { content: null, tool_calls: [wireCall('c1', 'pay', { sum: 1, apiKey: 'x', deps: { apiKey: 'x' } })] },
      { content: 'ok' },
    ],
    { tools: [pay] },
  )
  expect(seen).toEqual([{ sum: 1 }, VALUE])
  expect(JSON.stringify(bodies[0])).not.toMatch(/apiKey|deps|TOPSECRET/)
  expect(JSON.stringify(bodies[1]?.tools)).not.toMatch(/apiKey|deps/)
})

test('A22: a secret prints as [redacted] in every form', () => {
  const one = new Secret(VALUE)
  const forms = [String(one), JSON.stringify({ one }), inspect(one), inspect({ deep: [one] })]
  for (const form of forms) {
    expect(form).toContain('[redacted]')
    expect(form).not.toContain(VALUE)
  }
  expect(one.reveal()).toBe(VALUE)
})

test('A22: the value of a secret is in nothing that leaves', async () => {
  const thrower = tool(
    async function* (_args, { deps, writer }) {
      const key = deps.apiKey.reveal()
      writer({ key })
      yield `using ${key}`
      throw new Error(`401 for ${key}`)
    },
    { name: 'thrower', description: 'Fails.', inject: { apiKey: secret(() => VALUE) } },
  )
  const teller = tool((_args, { deps }) => [`my key is ${deps.apiKey.reveal()}`, { key: deps.apiKey.reveal() }], {
    name: 'teller',
    description: 'Tells.',
    responseFormat: 'content_and_artifact',
    inject: { apiKey: secret(() => VALUE) },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('thrower'), toolCall('teller')] }, 'ok'])
  const stream = createAgent({ model, tools: [thrower, teller] }).stream('hi')
  const { events, result } = await readAll(stream)
  checked(result, model)
  const texts = [events, result, model.calls.map(({ messages }) => messages)].map((outlet) =>
    inspect(outlet, { depth: 20 }),
  )
  for (const text of texts) expect(text).not.toContain('TOPSECRET')
  const of = (type: AgentEvent['type']) => events.filter((event) => event.type === type)
  expect(of('custom')).toMatchObject([{ chunk: { key: '[redacted]' } }])
  expect(of('tool-progress')).toMatchObject([{ chunk: 'using [redacted]' }])
  expect(result.messages.slice(2, 4)).toMatchObject([
    { status: 'error', content: '401 for [redacted]' },
    { status: 'success', content: 'my key is [redacted]', artifact: { key: '[redacted]' } },
  ])
})

test('A22: an error that ends the run does not print a secret', async () => {
  const thrower = tool(
    (_args, { deps }) => {
      throw new Error(`401 for ${deps.apiKey.reveal()}`)
    },
    { name: 'thrower', description: 'Fails.', inject: { apiKey: secret(() => VALUE) } },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('thrower')] }])
  const stream = createAgent({ model, tools: [thrower], toolErrors: 'throw' }).stream('hi')
  const events: AgentEvent[] = []
  const error = await rejection(
    (async () => {
      for await (const event of stream) events.push(event)
    })(),
  )
  expect(inspect(error)).not.toContain('TOPSECRET')
  expect(inspect(events, { depth: 20 })).not.toContain('TOPSECRET')
  expect(inspect(await rejection(stream.result))).not.toContain('TOPSECRET')
})

test('A23: a secret is read anew by each call', async () => {
  let key = 'first-key'
  const seen: string[] = []
  const uses = tool(
    (_args, { deps }) => {
      seen.push(deps.apiKey.reveal())
      key = 'second-key'
    },
    { name: 'uses', description: 'Uses a key.', inject: { apiKey: secret(() => key) } },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('uses')] }, { toolCalls: [toolCall('uses')] }, 'ok'])
  await checkedRun(createAgent({ model, tools: [uses] }).invoke('hi'), model)
  expect(seen).toEqual(['first-key', 'second-key'])
})

test('A24: a tool sees its own dependencies alone', async () => {
  const seen: Record<string, string[]> = {}
  const named = (name: string, inject: Record<string, () => unknown>) =>
    tool(
      (_args, { deps }) => {
        seen[name] = Object.keys(deps)
      },
      { name, description: 'Looks.', inject },
    )
  const tools = [named('a', { apiKey: secret(() => VALUE) }), named('b', { db: () => 1 }), named('c', {})]
  const model = scriptedModel([{ toolCalls: [toolCall('a'), toolCall('b'), toolCall('c')] }, 'ok'])
  await checkedRun(createAgent({ model, tools }).invoke('hi'), model)
  expect(seen).toEqual({ a: ['apiKey'], b: ['db'], c: [] })
})
