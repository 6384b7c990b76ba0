import { type AnyTool, createAgent, createMiddleware, tool, wrapModelCall, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked } from '../run/checked.js'

const call = { toolCalls: [toolCall('tip', { n: 1 })] }
const tip = tool(() => 'tipped', { name: 'tip', description: 'Tips.' })
const a = tool(() => 'a', { name: 'a', description: 'A.' })
const offering = (offered: AnyTool) =>
  wrapModelCall((request, handler) => handler(request.override({ tools: [...request.tools, offered] })))
const definition = { name: 'tip', description: 'Tips.', inputSchema: { type: 'object', properties: {} } } as never

describe('case 15: a tool that a layer adds to the request', () => {
  it.each([
    ['beside others', [a]],
    ['to an agent without tools', []],
  ])('with an implementation runs with no more ado, %s', async (_title, tools) => {
    const model = scriptedModel([call, 'done'])
    const result = checked(await createAgent({ model, tools, middleware: [offering(tip)] }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ content: 'tipped', status: 'success' })
  })

  it('as a mere definition gets an error result that names it', async () => {
    const model = scriptedModel([call, 'done'])
    const result = checked(await createAgent({ model, middleware: [offering(definition)] }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('"tip"') })
  })

  it('as a definition runs what a wrapToolCall puts there', async () => {
    const model = scriptedModel([call, 'done'])
    const grant = wrapToolCall((request, handler) => handler(request.override({ tool: tip })))
    const result = checked(await createAgent({ model, middleware: [offering(definition), grant] }).invoke('go'), model)
    expect(result.messages[2]).toMatchObject({ content: 'tipped', status: 'success' })
  })

  it('of a name that is taken is a ConfigError that names both', async () => {
    const middleware = [offering(tool(() => 'other', { name: 'a', description: 'Another.' }))]
    const agent = createAgent({ model: scriptedModel(['x']), tools: [a], middleware })
    await expect(agent.invoke('go')).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('"a"') })
  })

  it('by a layer that answers itself is offered what that layer was given', async () => {
    const made = wrapModelCall(async (request, handler) => {
      if (request.messages.length > 1) return handler()
      return { message: { role: 'assistant', content: null, tool_calls: wire('tip') }, finishReason: 'tool_calls' }
    })
    const model = scriptedModel(['done'])
    const granted = checked(await createAgent({ model, tools: [tip], middleware: [made] }).invoke('go'), model)
    expect(granted.messages[2]).toMatchObject({ content: 'tipped' })
    const hide = wrapModelCall((request, handler) => handler(request.override({ tools: [] })))
    const hidden = scriptedModel(['done'])
    const refused = await createAgent({ model: hidden, tools: [tip], middleware: [hide, made] }).invoke('go')
    expect(checked(refused, hidden).messages[2]).toMatchObject({ status: 'error' })
  })
})

it('a grant in wrapToolCall makes an unoffered call run, with its arguments checked', async () => {
  const strict = tool(() => 'ran', {
    name: 'registered',
    description: 'R.',
    schema: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
  })
  const seen: unknown[] = []
  const grant = createMiddleware({
    name: 'grant',
    wrapToolCall: (request, handler) => {
      seen.push(request.tool)
      return handler(request.override({ tool: strict }))
    },
  })
  const model = scriptedModel([call, { toolCalls: [toolCall('tip', { n: 'x' })] }, 'done'])
  const result = checked(await createAgent({ model, middleware: [grant] }).invoke('go'), model)
  expect(seen).toEqual([undefined, undefined])
  expect(result.messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('n') })
  expect(result.messages[4]).toMatchObject({ content: 'ran', name: 'tip' })
})

const wire = (name: string) => [{ id: 'c1', type: 'function' as const, function: { name, arguments: '{}' } }]
