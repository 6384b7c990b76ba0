import { repairPairs, tool, user } from 'cepa'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolRegistry } from '../../src/tools/registry.js'
import { toolMessages } from '../../src/tools/registry-calls.js'

const registry = new ToolRegistry().register(
  tool(({ n }) => n * 2, { name: 'twice', description: 'x', schema: z.object({ n: z.number() }) }),
)

describe('the messages of a round', () => {
  test('S20: are the assistant message and one tool message per call, in order, with the extras of a provider', async () => {
    const calls = [
      {
        id: 'a',
        type: 'function',
        function: { name: 'twice', arguments: '{"n":1}' },
        extra_content: { google: { thought_signature: 'sig' } },
      },
      { id: 'b', name: 'twice', arguments: '{"n":2}' },
    ]
    const results = await registry.execute(calls)
    const messages = toolMessages(calls, results, 'Let me see.')
    expect(messages).toMatchObject([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [calls[0], { id: 'b', type: 'function', function: { name: 'twice', arguments: '{"n":2}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '2' },
      { role: 'tool', tool_call_id: 'b', content: '4' },
    ])
    const whole = [user('hi'), ...messages]
    expect(repairPairs(whole)).toBe(whole)
    expect(toolMessages(calls, [...results].reverse()).slice(1)).toEqual(messages.slice(1))
  })

  test('S21: arguments are text of exactly one level', () => {
    const argumentsOf = (args: string | object | null) => {
      const [message] = toolMessages([{ id: 'a', name: 'twice', arguments: args }], [])
      return message?.role === 'assistant' ? message.tool_calls?.[0]?.function.arguments : undefined
    }
    expect(argumentsOf({ n: 1 })).toBe('{"n":1}')
    expect(argumentsOf('{"n":1}')).toBe('{"n":1}')
    expect(argumentsOf('')).toBe('{}')
    expect(argumentsOf(null)).toBe('{}')
  })

  test('S20: a call without a result gets one that says so, and calls of one id keep theirs', async () => {
    const calls = [
      { id: 'a', name: 'twice', arguments: '{"n":1}' },
      { id: 'a', name: 'twice', arguments: '{"n":2}' },
      { id: 'c', name: 'twice', arguments: '{"n":3}' },
    ]
    const results = await registry.execute(calls.slice(0, 2))
    expect(toolMessages(calls, results).slice(1)).toMatchObject([
      { tool_call_id: 'a', content: '2' },
      { tool_call_id: 'a', content: '4' },
      { tool_call_id: 'c', status: 'error', content: expect.stringContaining('never completed') },
    ])
  })

  test('S24: no calls, no messages', () => {
    expect(toolMessages([], [])).toEqual([])
  })
})
