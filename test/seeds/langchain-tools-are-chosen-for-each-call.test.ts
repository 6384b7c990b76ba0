import { type AnyTool, createAgent, createMiddleware, tool, user, wrapModelCall, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun } from '../run/checked.js'

const named = (name: string, metadata: Record<string, unknown> = {}) =>
  tool(() => `ran ${name}`, { name, description: `Does ${name}.`, metadata })
const names = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name)

const search = named('public_search', { public: true })
const account = named('private_account')
const advanced = named('advanced_search')

test('L38: tools are chosen by state: who is logged in, and how long the conversation is', async () => {
  const byState = createMiddleware({
    name: 'by state',
    stateSchema: { authenticated: z.boolean().default(false) },
    wrapModelCall(request, handler) {
      let { tools } = request
      if (!request.state.authenticated) tools = tools.filter(({ metadata }) => metadata?.public)
      else if (request.state.messages.length < 5) tools = tools.filter((one) => one !== advanced)
      return handler(request.override({ tools }))
    },
  })
  const offered = async (input: { authenticated?: boolean; length: number }) => {
    const model = scriptedModel(['ok'])
    const agent = createAgent({ model, tools: [search, account, advanced], middleware: [byState] })
    const messages = Array.from({ length: input.length }, () => user('hi'))
    const state = input.authenticated === undefined ? {} : { authenticated: input.authenticated }
    await checkedRun(agent.invoke({ messages, ...state }), model)
    return names(model.calls[0]?.tools)
  }
  expect(await offered({ length: 1 })).toEqual(['public_search'])
  expect(await offered({ length: 9, authenticated: false })).toEqual(['public_search'])
  expect(await offered({ length: 1, authenticated: true })).toEqual(['public_search', 'private_account'])
  expect(await offered({ length: 9, authenticated: true })).toEqual([
    'public_search',
    'private_account',
    'advanced_search',
  ])
})

test.each([
  ['an admin', { role: 'admin' }, ['read_data', 'write_data', 'delete_data']],
  ['an editor', { role: 'editor' }, ['read_data', 'write_data']],
  ['a viewer', { role: 'viewer' }, ['read_data']],
  ['nobody', undefined, ['read_data']],
] as const)('L40: tools are chosen by context: %s', async (_title, context, expected) => {
  const byRole = createMiddleware({
    name: 'by role',
    contextSchema: z.object({ role: z.enum(['admin', 'editor', 'viewer']).default('viewer') }),
    wrapModelCall(request, handler) {
      const { role } = request.context
      if (role === 'admin') return handler(request)
      const may = role === 'editor' ? ['read_data', 'write_data'] : ['read_data']
      return handler(request.override({ tools: request.tools.filter(({ name }) => may.includes(name)) }))
    },
  })
  const model = scriptedModel(['ok'])
  const tools = ['read_data', 'write_data', 'delete_data'].map((name) => named(name))
  const agent = createAgent({ model, tools, middleware: [byRole] })
  await checkedRun(agent.invoke('hi', context && { context }), model)
  expect(names(model.calls[0]?.tools)).toEqual(expected)
})

test.each(['invoke', 'stream'] as const)('L41: a tool that was filtered out does not run, with %s', async (way) => {
  let ran = 0
  const danger = tool(() => ++ran, { name: 'danger', description: 'Is dangerous.' })
  const hide = wrapModelCall((request, handler) =>
    handler(request.override({ tools: request.tools.filter((one) => one !== danger) })),
  )
  const model = scriptedModel([{ toolCalls: [toolCall('danger'), toolCall('public_search')] }, 'ok'])
  const agent = createAgent({ model, tools: [search, danger], middleware: [hide] })
  const result = await checkedRun(way === 'invoke' ? agent.invoke('hi') : agent.stream('hi').result, model)
  expect(ran).toBe(0)
  expect(result.messages.slice(2)).toMatchObject([
    { status: 'error', content: expect.stringContaining('not available') },
    { status: 'success' },
    { content: 'ok' },
  ])
})

const late = tool(({ percent }) => `tip of ${percent} %`, {
  name: 'tip',
  description: 'Works a tip out.',
  schema: z.object({ percent: z.number() }),
})
const adding = (one: AnyTool) =>
  wrapModelCall((request, handler) => handler(request.override({ tools: [...request.tools, one] })))

async function tipWith(middleware: Parameters<typeof createAgent>[0]['middleware']) {
  const model = scriptedModel([{ toolCalls: [toolCall('tip', { percent: 20 })] }, 'ok'])
  const { messages } = await checkedRun(
    createAgent({ model, tools: [], ...(middleware && { middleware }) }).invoke('hi'),
    model,
  )
  return messages[2]
}

test('L42: a tool that is added for a call, with an implementation, runs', async () => {
  expect(await tipWith([adding(late)])).toMatchObject({ content: 'tip of 20 %', status: 'success' })
})

test('L42: one that nobody added does not', async () => {
  expect(await tipWith([])).toMatchObject({ status: 'error', content: expect.stringContaining('"tip"') })
})

test('L42: a mere definition needs a tool layer that passes the tool, else its call is answered with its name', async () => {
  const { name, description, inputSchema } = late
  const definition = { name, description, inputSchema } as AnyTool
  const pass = wrapToolCall((request, handler) =>
    handler(request.toolCall.name === 'tip' ? request.override({ tool: late }) : request),
  )
  expect(await tipWith([adding(definition), pass])).toMatchObject({ content: 'tip of 20 %', status: 'success' })
  expect(await tipWith([adding(definition)])).toMatchObject({
    status: 'error',
    content: expect.stringContaining('"tip"'),
  })
})

test('L43: tools that are found at run time are asked for every turn', async () => {
  const found: AnyTool[] = []
  const turns: number[] = []
  const remote = createMiddleware({
    name: 'remote',
    async tools(turn) {
      turns.push(turn.index)
      return found
    },
  })
  const load = tool(() => void found.push(named('loaded')), { name: 'load', description: 'Loads a tool.' })
  const model = scriptedModel([
    { toolCalls: [toolCall('load'), toolCall('loaded')] },
    { toolCalls: [toolCall('loaded')] },
    'ok',
  ])
  const agent = createAgent({ model, tools: [load], middleware: [remote] })
  const { messages } = await checkedRun(agent.invoke('hi'), model)
  expect(model.calls.map(({ tools }) => names(tools))).toEqual([['load'], ['load', 'loaded'], ['load', 'loaded']])
  expect(turns).toEqual([1, 2, 3])
  expect(messages[3]).toMatchObject({ name: 'loaded', status: 'error' })
  expect(messages[5]).toMatchObject({ name: 'loaded', status: 'success', content: 'ran loaded' })
})
