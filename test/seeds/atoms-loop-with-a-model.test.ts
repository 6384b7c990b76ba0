import { createAgent, repairPairs, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun } from '../run/checked.js'

const weather = tool(({ city }) => `Sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
})

test('S18: a reply may hold text and calls; both are kept', async () => {
  const model = scriptedModel([{ text: 'Let me see.', toolCalls: [toolCall('weather', { city: 'Oslo' })] }, 'Sunny.'])
  const { messages } = await checkedRun(createAgent({ model, tools: [weather] }).invoke('Oslo?'), model)
  expect(messages[1]).toMatchObject({ role: 'assistant', content: 'Let me see.', tool_calls: [{ type: 'function' }] })
  expect(messages[2]).toMatchObject({ role: 'tool', content: 'Sunny in Oslo' })
})

test('S21, S23: the second request has the results, one level of JSON, and the tools again', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('weather', { city: 'Oslo' })] }, 'Sunny.'])
  await checkedRun(createAgent({ model, tools: [weather] }).invoke('Oslo?'), model)
  const [, second] = model.calls
  expect(second?.tools.map(({ name }) => name)).toEqual(['weather'])
  expect(second?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
    { role: 'tool', content: 'Sunny in Oslo' },
  ])
  const messages = second?.messages ?? []
  expect(repairPairs(messages)).toBe(messages)
})
