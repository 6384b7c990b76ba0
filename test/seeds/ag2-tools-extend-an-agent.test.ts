import { ConfigError, createAgent, textOf, tool, wrapModelCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { importsOf, packageOf, readSources } from '../imports.js'
import { checkedRun, rejection } from '../run/checked.js'
import { overTheWire, wireCall } from './wire.js'

const weather = tool(({ city }) => `Rain in ${city}`, {
  name: 'weather',
  description: 'Tells the weather.',
  schema: z.object({ city: z.string() }),
})

test('A1: a model calls a tool and reads its result', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('weather', { city: 'Oslo' })] }, 'Take an umbrella.'])
  const result = await checkedRun(createAgent({ model, tools: [weather] }).invoke('Oslo?'), model)
  expect(model.calls[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain in Oslo', status: 'success' })
  expect(result.output).toBe('Take an umbrella.')
  expect(weather).toMatchObject({ name: 'weather', description: 'Tells the weather.' })
  expect(weather.inputSchema).toMatchObject({ type: 'object', required: ['city'] })
  expect(Object.isFrozen(weather)).toBe(true)
})

test('A1: both forms of tool() are the same tool', async () => {
  const other = tool({
    name: 'weather',
    description: 'Tells the weather.',
    schema: z.object({ city: z.string() }),
    execute: ({ city }) => `Rain in ${city}`,
  })
  expect(other.inputSchema).toEqual(weather.inputSchema)
  const model = scriptedModel([{ toolCalls: [toolCall('weather', { city: 'Oslo' })] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [other] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: 'Rain in Oslo' })
})

test('A6: an unknown name is answered with near matches, and its siblings run', async () => {
  const model = scriptedModel([
    { toolCalls: [toolCall('wether', { city: 'Oslo' }), toolCall('weather', { city: 'Bergen' })] },
    'ok',
  ])
  const hidden = tool(() => 'no', { name: 'weathers', description: 'Hidden.' })
  const agent = createAgent({
    model,
    tools: [weather, hidden],
    middleware: [
      wrapModelCall((request, handler) =>
        handler(request.override({ tools: request.tools.filter((t) => t !== hidden) })),
      ),
    ],
  })
  const { messages } = await checkedRun(agent.invoke('hi'), model)
  expect(messages[2]).toMatchObject({ role: 'tool', status: 'error', name: 'wether' })
  const text = textOf(messages[2]?.content ?? '')
  expect(text).toContain('"wether"')
  expect(text).toContain('"weather"')
  expect(text, 'what is hidden is not given away').not.toContain('weathers')
  expect(messages[3]).toMatchObject({ role: 'tool', status: 'success', content: 'Rain in Bergen' })
})

test('A7: with() gives a changed copy, and both names run', async () => {
  const forecast = weather.with({ name: 'forecast', description: 'Tells tomorrow.' })
  expect(weather).toMatchObject({ name: 'weather', description: 'Tells the weather.' })
  for (const one of [weather, forecast]) {
    const model = scriptedModel([{ toolCalls: [toolCall(one.name, { city: 'Oslo' })] }, 'ok'])
    const { messages } = await checkedRun(createAgent({ model, tools: [one] }).invoke('hi'), model)
    expect(model.calls[0]?.tools.map(({ name, description }) => ({ name, description }))).toEqual([
      { name: one.name, description: one.description },
    ])
    expect(messages[2]).toMatchObject({ name: one.name, content: 'Rain in Oslo', status: 'success' })
  }
  expect(() => weather.with({ name: '' })).toThrow(ConfigError)
})

test('A25: a tool reads the conversation, and cannot edit it', async () => {
  const edits: unknown[] = []
  const reader = tool(
    (_args, { state }) => {
      const list = state.messages as unknown[]
      for (const edit of [() => list.push('x'), () => Object.assign(list[0] as object, { content: 'forged' })]) {
        try {
          edit()
        } catch (error) {
          edits.push(error)
        }
      }
      return textOf(state.messages[0]?.content ?? '')
    },
    { name: 'reader', description: 'Reads.' },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('reader')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [reader] }).invoke('the question'), model)
  expect(messages[2]).toMatchObject({ content: 'the question' })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(messages[0]).toMatchObject({ content: 'the question' })
  expect(edits).toEqual([expect.any(TypeError), expect.any(TypeError)])
})

test('A26: a demanded tool is demanded until the first round of tools', async () => {
  for (const toolChoice of ['required', { name: 'weather' }] as const) {
    const model = scriptedModel((call) =>
      call.toolChoice === 'required' || typeof call.toolChoice === 'object'
        ? { toolCalls: [toolCall('weather', { city: 'Oslo' })] }
        : 'done',
    )
    const { stopReason } = await checkedRun(createAgent({ model, tools: [weather], toolChoice }).invoke('hi'))
    expect(stopReason).toBe('stop')
    expect(model.calls).toHaveLength(2)
    expect(model.calls[0]?.toolChoice).toEqual(toolChoice)
  }
})

test('A26: the choice goes to the provider in its own words', async () => {
  const replies = [{ content: null, tool_calls: [wireCall('c1', 'weather', { city: 'Oslo' })] }, { content: 'ok' }]
  const named = await overTheWire(replies, { tools: [weather], toolChoice: { name: 'weather' } })
  expect(named.bodies[0]?.tool_choice).toEqual({ type: 'function', function: { name: 'weather' } })
  expect(named.bodies[1]?.tool_choice ?? 'auto').toBe('auto')
  const none = await overTheWire([{ content: 'ok' }], { tools: [weather], toolChoice: 'none' })
  expect(none.bodies[0]?.tool_choice).toBe('none')
})

test('A31: what importing the core loads holds no other framework, and no client of a provider', () => {
  const imports = importsOf(readSources('src')).filter(({ lazy }) => !lazy)
  const files = new Set(['src/index.ts'])
  for (const file of files) for (const { from, to } of imports) if (from === file && to !== undefined) files.add(to)
  const packages = imports.filter(({ from, to }) => files.has(from) && to === undefined)
  const allowed = ['koa-compose']
  expect(files.size).toBeGreaterThan(20)
  expect(new Set(packages.map(({ specifier }) => packageOf(specifier)))).toEqual(new Set(allowed))
})

test('A8: a tool of one run is offered and runs in it alone, also after a throw', async () => {
  let runs = 0
  const once = tool(() => `run ${++runs}`, { name: 'once', description: 'Runs in one run.' })
  const boom = new Error('boom')
  const calls = { toolCalls: [toolCall('once')] }
  const model = scriptedModel([calls, 'ok', calls, boom, calls, 'ok'])
  const agent = createAgent({ model, tools: [weather] })
  const first = await checkedRun(agent.invoke('hi', { tools: [once] }), model)
  expect(first.messages[2]).toMatchObject({ content: 'run 1', status: 'success' })
  expect(await rejection(agent.invoke('hi', { tools: [once] }))).toBe(boom)
  const later = await checkedRun(agent.invoke('hi'), model)
  expect(later.messages[2]).toMatchObject({ name: 'once', status: 'error' })
  expect(runs).toBe(2)
  expect(model.calls.map(({ tools }) => tools.length)).toEqual([2, 2, 2, 2, 1, 1])
  const clash = weather.with({ description: 'Another one.' })
  expect(await rejection(agent.invoke('hi', { tools: [clash] }))).toBeInstanceOf(ConfigError)
})
