import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolRegistry } from '../../src/tools/registry.js'
import { checkedRun } from '../run/checked.js'

const tools = [
  tool(({ a, b }) => ({ sum: a + b }), {
    name: 'add',
    description: 'Adds.',
    schema: z.object({ a: z.number(), b: z.number() }),
  }),
  tool(
    (_args, { writer }) => {
      writer('nobody hears this')
      return ['said', { kept: true }]
    },
    { name: 'say', description: 'Says.', responseFormat: 'content_and_artifact' },
  ),
  tool(
    () => {
      throw new Error('by zero')
    },
    { name: 'divide', description: 'Divides.' },
  ),
]

test('L26, L20: a loop of your own and an agent give equal messages', async () => {
  const registry = new ToolRegistry()
  for (const one of tools) registry.register(one)
  const toolCalls = [
    toolCall('add', { a: 1, b: 2 }, 'c1'),
    toolCall('say', {}, 'c2'),
    toolCall('divide', {}, 'c3'),
    toolCall('add', { a: 1 }, 'c4'),
    toolCall('nope', {}, 'c5'),
  ]
  const model = scriptedModel([{ toolCalls }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools }).invoke('hi'), model)
  const ofAgent = messages.filter(({ role }) => role === 'tool').map(({ id: _id, ...message }) => message)

  const calls = toolCalls.map(({ id = '', name, args }) => ({ id, name, arguments: JSON.stringify(args) }))
  const results = await registry.execute(calls)
  expect(results.map(({ message }) => message)).toEqual(ofAgent)
  expect(results.map(({ isError }) => isError)).toEqual([false, false, true, true, true])
})
