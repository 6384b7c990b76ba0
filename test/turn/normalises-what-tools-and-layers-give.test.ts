import { command, createAgent, createMiddleware, tool, toolMessage, user, wrapModelCall, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, rejection } from '../run/checked.js'

const script = () => scriptedModel([{ toolCalls: [toolCall('it', {}, 'c1')] }, 'done'])
const giving = (value: unknown) => tool(() => value, { name: 'it', description: 'It.' })

describe('case 31', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a promise of nothing', Promise.resolve()],
  ])("a tool that gives %s has the content ''", async (_title, value) => {
    const model = script()
    const result = checked(await createAgent({ model, tools: [giving(value)] }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ content: '', status: 'success' })
  })

  const WRONG = [
    undefined,
    null,
    'text',
    {},
    { message: 'text' },
    { message: user('x') },
    { message: { role: 'tool' } },
  ]
  it.each(WRONG.map((value) => [value]))(
    'a wrapToolCall that gives %j is a typed error that names it',
    async (value) => {
      const layer = createMiddleware({ name: 'careless', wrapToolCall: (async () => value) as never })
      for (const toolErrors of ['throw', undefined] as const) {
        const model = script()
        const agent = createAgent({
          model,
          tools: [giving('x')],
          middleware: [layer],
          ...(toolErrors && { toolErrors }),
        })
        if (toolErrors === 'throw')
          expect(await rejection(agent.invoke('go'))).toMatchObject({
            code: 'LAYER_RESULT',
            message: expect.stringMatching(/wrapToolCall of "careless".*got/),
          })
        else expect(checked(await agent.invoke('go'), model).messages[2]).toMatchObject({ status: 'error' })
      }
    },
  )

  it.each(WRONG.map((value) => [value]))(
    'a wrapModelCall that gives %j is a typed error that names it',
    async (value) => {
      const layer = createMiddleware({ name: 'careless', wrapModelCall: (async () => value) as never })
      const agent = createAgent({ model: script(), middleware: [layer] })
      expect(await rejection(agent.invoke('go'))).toMatchObject({
        code: 'LAYER_RESULT',
        message: expect.stringMatching(/wrapModelCall of "careless".*got/),
      })
    },
  )

  it.each([['text'], [42], [{ tool: 1, other: 2 }], [[]]])(
    'a layer that hands %j to its handler is a typed error that names it',
    async (value) => {
      const model = createMiddleware({
        name: 'careless',
        wrapModelCall: (_request, handler) => handler(value as never),
      })
      expect(await rejection(createAgent({ model: script(), middleware: [model] }).invoke('go'))).toMatchObject({
        code: 'LAYER_RESULT',
        message: expect.stringContaining('"careless"'),
      })
    },
  )
})

describe('a result', () => {
  it('answers its own call, whatever id it carries', async () => {
    const wrong = wrapToolCall(async () => ({
      message: { ...toolMessage('made up'), tool_call_id: 'other', id: 'same' },
    }))
    const model = scriptedModel([{ toolCalls: [toolCall('it', {}, 'c1'), toolCall('it', {}, 'c2')] }, 'done'])
    const result = checked(await createAgent({ model, tools: [giving('x')], middleware: [wrong] }).invoke('go'), model)
    expect(result.messages.slice(2, 4)).toMatchObject([
      { tool_call_id: 'c1', content: 'made up', name: 'it' },
      { tool_call_id: 'c2', content: 'made up', name: 'it' },
    ])
  })

  it('case 54: extra messages of a command come behind the whole batch', async () => {
    const picture = tool(
      () =>
        command({ messages: [toolMessage('see below'), user([{ type: 'image_url', image_url: { url: 'data:,' } }])] }),
      { name: 'picture', description: 'P.' },
    )
    const model = scriptedModel([{ toolCalls: [toolCall('picture'), toolCall('it')] }, 'done'])
    const result = checked(await createAgent({ model, tools: [picture, giving('x')] }).invoke('go'), model)
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
    expect(result.messages[2]).toMatchObject({ content: 'see below', status: 'success' })
  })

  it('carries updates and a goto of a command', async () => {
    const end = tool(() => command({ update: { n: 3 }, goto: 'end', stopReason: 'limit' }), {
      name: 'it',
      description: 'I.',
      stateSchema: { n: z.number().default(0) },
    })
    const model = scriptedModel([{ toolCalls: [toolCall('it')] }])
    const result = checked(await createAgent({ model, tools: [end] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'limit', state: { n: 3 } })
  })

  it('may be fed back by toolErrors, as a text or a message, with the request at hand', async () => {
    const failing = tool(
      () => {
        throw new Error('secret path')
      },
      { name: 'it', description: 'I.' },
    )
    for (const given of ['mapped', { ...toolMessage('mapped'), status: 'denied' as const }]) {
      const model = script()
      const names: unknown[] = []
      const toolErrors = (error: unknown, request: { toolCall: { name: string } }) => {
        names.push(request.toolCall.name, (error as Error).message)
        return given
      }
      const result = checked(await createAgent({ model, tools: [failing], toolErrors }).invoke('go'), model)
      expect(result.messages[2]).toMatchObject({
        content: 'mapped',
        status: typeof given === 'string' ? 'error' : 'denied',
      })
      expect(names).toEqual(['it', 'secret path'])
    }
  })

  it('of a toolErrors that throws rejects the run with what it threw, the call answered', async () => {
    const other = new Error('other')
    const failing = tool(() => Promise.reject(new Error('x')), { name: 'it', description: 'I.' })
    const toolErrors = () => {
      throw other
    }
    expect(await rejection(createAgent({ model: script(), tools: [failing], toolErrors }).invoke('go'))).toBe(other)
  })
})

it('a layer that answers itself is a reply; a changed message keeps the offer', async () => {
  const shout = wrapModelCall(async (request, handler) => {
    const response = await handler(request)
    return { ...response, message: { ...response.message, content: 'changed' } }
  })
  const model = script()
  const result = checked(await createAgent({ model, tools: [giving('x')], middleware: [shout] }).invoke('go'), model)
  expect(result).toMatchObject({ output: 'changed' })
  expect(result.messages[2]).toMatchObject({ content: 'x', status: 'success' })
})
