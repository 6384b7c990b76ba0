import { createAgent, tool, type WireToolCall, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, readAll } from '../run/checked.js'

const orders = tool(() => 'orders', { name: 'fetch_orders', description: 'F.' })
const todo = tool(({ status }) => `set ${status}`, {
  name: 'todo',
  description: 'T.',
  schema: z.object({ status: z.enum(['open', 'done']) }),
})
const pass = () => wrapToolCall((request, handler) => handler(request))

it('case 23: an unknown tool is an error result with near names among the offered ones; siblings run', async () => {
  const model = scriptedModel([
    { toolCalls: [toolCall('fetch_order'), toolCall('fetch_orders')] },
    { toolCalls: [toolCall('__proto__'), toolCall('constructor'), toolCall('toString')] },
    'done',
  ])
  const result = checked(await createAgent({ model, tools: [orders] }).invoke('go'), model)
  expect(result.messages[2]).toMatchObject({
    status: 'error',
    content: expect.stringMatching(/fetch_order".*Did you mean "fetch_orders"/),
  })
  expect(result.messages[3]).toMatchObject({ status: 'success', content: 'orders' })
  expect(result.messages.slice(5, 8).every((message) => message.role === 'tool' && message.status === 'error')).toBe(
    true,
  )
})

describe('case 14: arguments that do not fit are an error result', () => {
  it.each([0, 1, 3])('with %i wrapToolCall layers', async (count) => {
    const model = scriptedModel([
      { toolCalls: [toolCall('todo', {})] },
      { toolCalls: [toolCall('todo', { status: 'done' })] },
      'done',
    ])
    const middleware = Array.from({ length: count }, pass)
    const result = checked(await createAgent({ model, tools: [todo], middleware }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('status') })
    expect(result.messages[4]).toMatchObject({ status: 'success', content: 'set done' })
  })
})

it('case 30: one invalid call does not block its siblings', async () => {
  const model = scriptedModel([
    { toolCalls: [toolCall('todo', { status: 'open' }), toolCall('todo', '{"status": "op'), toolCall('nope')] },
    'done',
  ])
  const { result } = await readAll(createAgent({ model, tools: [todo] }).stream('go'))
  checked(result, model)
  expect(result.messages.slice(2, 5)).toMatchObject([
    { content: 'set open', status: 'success' },
    { status: 'error', content: expect.stringContaining('JSON') },
    { status: 'error', content: expect.stringContaining('nope') },
  ])
  expect(model.calls).toHaveLength(2)
})

describe('ids of calls', () => {
  const wire = (id: unknown, name = 'fetch_orders') =>
    ({ id, type: 'function', function: { name, arguments: '{}' } }) as WireToolCall
  const IDS = {
    'case 21: the same twice': ['d', 'd'],
    'case 22: undefined': [undefined, undefined],
    'case 22: null': [null, null],
    'case 22: empty': ['', ''],
    'case 22: a mix': ['x', '', 'x', null],
  }
  it.each(Object.entries(IDS))('%s: every call runs once and is paired under an id of its own', async (_title, ids) => {
    const message = { role: 'assistant' as const, content: null, tool_calls: ids.map((id) => wire(id)) }
    const model = scriptedModel([{ message, finishReason: 'tool_calls' }, 'done'])
    const result = checked(await createAgent({ model, tools: [orders] }).invoke('go'), model)
    const results = result.messages.slice(2, -1)
    expect(results).toHaveLength(ids.length)
    expect(results.every((one) => one.role === 'tool' && one.status === 'success' && one.tool_call_id !== '')).toBe(
      true,
    )
  })

  it('case 22: a call without id and name is left out, never executed', async () => {
    const message = { role: 'assistant' as const, content: 'hm', tool_calls: [wire('', ''), wire('c')] }
    const only = { role: 'assistant' as const, content: 'fine', tool_calls: [wire('', '')] }
    const model = scriptedModel([
      { message, finishReason: 'tool_calls' },
      { message: only, finishReason: 'tool_calls' },
    ])
    const result = checked(await createAgent({ model, tools: [orders] }).invoke('go'), model)
    expect(result.messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
    expect(result).toMatchObject({ output: 'fine', stopReason: 'stop' })
  })

  it('case 21: the same id in two turns stays; idempotency keys differ', async () => {
    const keys: string[] = []
    const keyed = tool((_args, runtime) => void keys.push(runtime.executionInfo.idempotencyKey), {
      name: 'keyed',
      description: 'K.',
    })
    const call = { toolCalls: [toolCall('keyed', {}, 'd')] }
    const model = scriptedModel([call, call, 'done'])
    const result = checked(await createAgent({ model, tools: [keyed] }).invoke('go'), model)
    expect(result.messages.flatMap((one) => (one.role === 'tool' ? one.tool_call_id : []))).toEqual(['d', 'd'])
    expect(new Set(keys).size).toBe(2)
  })
})
