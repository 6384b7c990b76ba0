import { ConfigError, createAgent, tool, toolMessage, user } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checked, checkedRun, readAll } from '../run/checked.js'

/** What server and client share: a definition, without a function. */
const geo = tool({
  name: 'geolocation_get',
  description: 'Tells where the user is.',
  schema: z.object({ highAccuracy: z.boolean().default(false) }),
  outputSchema: z.object({ latitude: z.number(), longitude: z.number() }),
})
const time = tool(() => '12:00', { name: 'time', description: 'Tells the time.' })

test('L44: a tool without a function is offered like any other, and pauses the run', async () => {
  expect(geo.execute).toBeUndefined()
  const model = scriptedModel([{ toolCalls: [toolCall('geolocation_get', { highAccuracy: true }, 'c1')] }])
  const result = await checkedRun(createAgent({ model, tools: [geo] }).invoke('Where am I?'), model)
  expect(model.calls[0]?.tools).toMatchObject([{ name: 'geolocation_get', inputSchema: { type: 'object' } }])
  expect(result.stopReason).toBe('interrupt')
  expect(result.interrupts).toMatchObject([
    {
      toolCallId: 'c1',
      path: [],
      payload: { type: 'tool', toolCall: { id: 'c1', name: 'geolocation_get', args: { highAccuracy: true } } },
    },
  ])
  expect(result.interrupts[0]?.id).toMatch(/^[0-9a-f]{32}$/)
})

test('L44: its arguments are validated before anybody is asked', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('geolocation_get', { highAccuracy: 'very' })] }, 'ok'])
  const result = await checkedRun(createAgent({ model, tools: [geo] }).invoke('Where am I?'), model)
  expect(result).toMatchObject({ stopReason: 'stop', interrupts: [] })
  expect(result.messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('highAccuracy') })
})

test('L44: the history with the answer goes on in the next run', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('time'), toolCall('geolocation_get')] }, 'You are in Oslo.'])
  const agent = createAgent({ model, tools: [geo, time] })
  const paused = await checkedRun(agent.invoke('Where am I?'), model)
  const answers = paused.interrupts.map(({ toolCallId }) => ({
    ...toolMessage('{"latitude":59.9,"longitude":10.7}'),
    tool_call_id: toolCallId ?? '',
  }))
  const { output, messages } = await checkedRun(agent.invoke([...paused.messages, ...paused.done, ...answers]), model)
  expect(output).toBe('You are in Oslo.')
  expect(messages.slice(2, 4)).toMatchObject([{ content: '12:00' }, { content: '{"latitude":59.9,"longitude":10.7}' }])
})

test('L44: a call that nobody answered is answered when a new message comes', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('geolocation_get', {}, 'c1')] }, 'Never mind.'])
  const agent = createAgent({ model, tools: [geo] })
  const paused = await checkedRun(agent.invoke('Where am I?'), model)
  const { messages } = await checkedRun(agent.invoke([...paused.messages, user('Forget it.')]), model)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  expect(messages[2]).toMatchObject({ tool_call_id: 'c1', status: 'error' })
})

test('L45: all that is pending is reported at once, and siblings keep their results', async () => {
  const toolCalls = [
    toolCall('geolocation_get', {}, 'c1'),
    toolCall('time', {}, 'c2'),
    toolCall('geolocation_get', { highAccuracy: true }, 'c3'),
  ]
  const model = scriptedModel([{ toolCalls }])
  const { events, result } = await readAll(createAgent({ model, tools: [geo, time] }).stream('Where am I?'))
  checked(result, model)
  expect(result.interrupts.map(({ payload }) => payload)).toEqual([
    { type: 'tool', toolCall: { id: 'c1', name: 'geolocation_get', args: { highAccuracy: false } } },
    { type: 'tool', toolCall: { id: 'c3', name: 'geolocation_get', args: { highAccuracy: true } } },
  ])
  expect(new Set(result.interrupts.map(({ id }) => id)).size).toBe(2)
  expect(result.done).toMatchObject([{ tool_call_id: 'c2', content: '12:00', status: 'success' }])
  expect(events.filter(({ type }) => type === 'interrupt')).toMatchObject([
    { interrupts: result.interrupts, done: result.done },
  ])
})

test('L47: implement() pairs a definition with its function for the client', async () => {
  const onClient = geo.implement(({ highAccuracy }) => ({ latitude: highAccuracy ? 59.91 : 59.9, longitude: 10.7 }))
  expect(geo.execute).toBeUndefined()
  expect(onClient).toMatchObject({ name: geo.name, description: geo.description, inputSchema: geo.inputSchema })
  const model = scriptedModel([{ toolCalls: [toolCall('geolocation_get', { highAccuracy: true })] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [onClient] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: '{"latitude":59.91,"longitude":10.7}', status: 'success' })
  expect(() => geo.implement('no function' as never)).toThrow(ConfigError)
})

test('L47: the output schema checks what the implementation answers', async () => {
  const wrong = geo.implement(() => ({ latitude: 'north' }))
  const model = scriptedModel([{ toolCalls: [toolCall('geolocation_get')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [wrong] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('latitude') })
})
