import { readFileSync } from 'node:fs'
import { type AgentEvent, createAgent, createMiddleware, system, textOf, tool, user } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun, readAll } from '../run/checked.js'

test('L9: the runtime is the second argument, and no part of the schema', async () => {
  const seen: unknown[] = []
  const looks = tool(
    (args, runtime) => {
      seen.push(args, Object.keys(args), typeof runtime.toolCallId)
    },
    { name: 'looks', description: 'Looks.', schema: z.object({ q: z.string() }) },
  )
  expect(looks.inputSchema).toEqual({ type: 'object', properties: { q: { type: 'string' } }, required: ['q'] })
  const model = scriptedModel([{ toolCalls: [toolCall('looks', { q: 'x', runtime: 'forged' })] }, 'ok'])
  await checkedRun(createAgent({ model, tools: [looks] }).invoke('hi'), model)
  expect(seen).toEqual([{ q: 'x' }, ['q'], 'string'])
})

test('L10: a tool reads the last user message and a custom field of the state', async () => {
  const preference = tool(
    (_args, { state }) => {
      const asked = state.messages.findLast(({ role }) => role === 'user')
      return `${textOf(asked?.content ?? '')}: ${state.preferences.colour ?? 'not set'}`
    },
    {
      name: 'preference',
      description: 'Tells a preference.',
      stateSchema: { preferences: z.record(z.string(), z.string()).default({}) },
    },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('preference')] }, 'ok'])
  const agent = createAgent({ model, tools: [preference] })
  const run = agent.invoke({
    messages: [system('Be kind.'), user('old'), user('colour?')],
    preferences: { colour: 'blue' },
  })
  const { messages } = await checkedRun(run, model)
  expect(messages.at(-2)).toMatchObject({ content: 'colour?: blue' })
})

test('L15: the context is parsed once, frozen, and the same for every hook and tool', async () => {
  let parsed = 0
  const userId = z.string().transform((id) => {
    parsed += 1
    return id
  })
  const contextSchema = z.object({ userId, plan: z.string().default('free') })
  const seen: unknown[] = []
  const look = (context: unknown) => void seen.push(context)
  const account = tool(
    (_args, { context }) => {
      look(context)
      return Reflect.set(context, 'userId', 'forged') ? 'written' : 'refused'
    },
    { name: 'account', description: 'Tells of the account.' },
  )
  const watcher = createMiddleware({
    name: 'watcher',
    wrapRun(run, next) {
      look(run.context)
      return next()
    },
    wrapTurn(turn, next) {
      look(turn.context)
      return next()
    },
    wrapModelCall(request, handler) {
      look(request.context)
      return handler(request)
    },
    wrapToolCall(request, handler) {
      look(request.context)
      return handler(request)
    },
    beforeAgent: (_state, { context }) => look(context),
    beforeModel: (_state, { context }) => look(context),
    afterModel: (_state, { context }) => look(context),
    afterAgent: (_state, { context }) => look(context),
  })
  const model = scriptedModel([{ toolCalls: [toolCall('account')] }, 'ok'])
  const agent = createAgent({ model, tools: [account], middleware: [watcher], contextSchema })
  const { messages } = await checkedRun(agent.invoke('hi', { context: { userId: 'u1' } }), model)
  expect(parsed).toBe(1)
  expect(seen.length).toBeGreaterThan(10)
  expect(new Set(seen).size).toBe(1)
  expect(seen[0]).toEqual({ userId: 'u1', plan: 'free' })
  expect(messages[2]).toMatchObject({ content: 'refused' })
})

test('L16: a thread keeps messages, and the context is given each time', async () => {
  const whoami = tool((_args, { context }) => (context as { userId: string }).userId, {
    name: 'whoami',
    description: 'Tells who asks.',
  })
  const model = scriptedModel([{ toolCalls: [toolCall('whoami')] }, 'one', { toolCalls: [toolCall('whoami')] }, 'two'])
  const agent = createAgent({
    model,
    tools: [whoami],
    contextSchema: z.object({ userId: z.string() }),
    checkpointer: memoryCheckpointer(),
  })
  await checkedRun(agent.invoke('first', { threadId: 't', context: { userId: 'u1' } }), model)
  const { messages, threadId } = await checkedRun(
    agent.invoke('second', { threadId: 't', context: { userId: 'u2' } }),
    model,
  )
  expect(threadId).toBe('t')
  expect(messages.map(({ content }) => content)).toEqual(['first', null, 'u1', 'one', 'second', null, 'u2', 'two'])
})

test('L20: what a tool writes arrives while it runs, with its call', async () => {
  const steps = tool(
    async (_args, { writer }) => {
      writer('half way')
      await Promise.resolve()
      writer({ done: true })
      return 'result'
    },
    { name: 'steps', description: 'Takes steps.' },
  )
  const model = scriptedModel([{ toolCalls: [toolCall('steps')] }, 'ok'])
  const agent = createAgent({ model, tools: [steps] })
  const { events } = await readAll(agent.stream('hi'))
  const mine = events.filter(({ type }) => ['tool-start', 'custom', 'tool-result'].includes(type))
  expect(mine).toMatchObject([
    { type: 'tool-start', toolCall: { id: 'call_1' } },
    { type: 'custom', toolCallId: 'call_1', chunk: 'half way' },
    { type: 'custom', toolCallId: 'call_1', chunk: { done: true } },
    { type: 'tool-result', message: { content: 'result' } },
  ] satisfies (Partial<Record<string, unknown>> & { type: AgentEvent['type'] })[])
})

test('L20: nothing happens to what is written where nobody listens', async () => {
  const writes = tool((_args, { writer }) => String(writer('x')), { name: 'writes', description: 'Writes.' })
  const model = scriptedModel([{ toolCalls: [toolCall('writes')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [writes] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: 'undefined', status: 'success' })
})

test('L21: a tool is told its thread, its run, its turn and its attempt', async () => {
  const seen: Record<string, unknown>[] = []
  const flaky = tool(
    (_args, { executionInfo }) => {
      seen.push({ ...executionInfo })
      if (executionInfo.attempt < 3) throw new Error('not yet')
    },
    { name: 'flaky', description: 'Fails twice.' },
  )
  const retry = createMiddleware({
    name: 'retry',
    async wrapToolCall(request, handler) {
      for (let left = 2; ; left--) {
        try {
          return await handler(request)
        } catch (error) {
          if (left === 0) throw error
        }
      }
    },
  })
  const model = scriptedModel([{ toolCalls: [toolCall('flaky')] }, 'ok'])
  const agent = createAgent({ model, tools: [flaky], middleware: [retry], checkpointer: memoryCheckpointer() })
  const { runId } = await checkedRun(agent.invoke('hi', { threadId: 'a/b' }), model)
  const idempotencyKey = `a%2Fb/${runId}/1/call_1`
  expect(seen).toEqual([1, 2, 3].map((attempt) => ({ threadId: 'a/b', runId, turn: 1, attempt, idempotencyKey })))
})

test('L22: there is no server info in a script', async () => {
  const server = tool((_args, { serverInfo }) => JSON.stringify({ serverInfo }), {
    name: 'server',
    description: 'Looks.',
  })
  const model = scriptedModel([{ toolCalls: [toolCall('server')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [server] }).invoke('hi'), model)
  expect(messages[2]).toMatchObject({ content: '{"serverInfo":null}' })
})

test('L23: tags, metadata and callbacks arrive as they were given', async () => {
  const callbacks = [{ handleToolStart() {} }]
  const seen: unknown[] = []
  const looks = tool((_args, { config }) => void seen.push(config), { name: 'looks', description: 'Looks.' })
  const model = scriptedModel([{ toolCalls: [toolCall('looks')] }, 'ok'])
  const run = createAgent({ model, tools: [looks] }).invoke('hi', { tags: ['a'], metadata: { user: 'u1' }, callbacks })
  await checkedRun(run, model)
  expect(seen).toMatchObject([{ tags: ['a'], metadata: { user: 'u1' } }])
  expect((seen[0] as { callbacks: unknown }).callbacks).toBe(callbacks)
})

test('L24: a tool is told the id of its call', async () => {
  const id = tool((_args, { toolCallId }) => toolCallId, { name: 'id', description: 'Tells its id.' })
  const model = scriptedModel([{ toolCalls: [toolCall('id', {}, 'c1'), toolCall('id', {}, 'c2')] }, 'ok'])
  const { messages } = await checkedRun(createAgent({ model, tools: [id] }).invoke('hi'), model)
  expect(messages.slice(2, 4)).toMatchObject([
    { tool_call_id: 'c1', content: 'c1' },
    { tool_call_id: 'c2', content: 'c2' },
  ])
})

test('L25: the page for people who come from LangChain has each older form of injection', () => {
  const page = readFileSync(new URL('../../docs/coming-from-langchain.md', import.meta.url), 'utf8')
  for (const form of [
    'InjectedState',
    'InjectedStore',
    'InjectedToolCallId',
    'get_runtime',
    'RunnableConfig',
    'ToolRuntime',
  ])
    expect(page).toContain(form)
  for (const field of ['state', 'store', 'toolCallId', 'context', 'config', 'writer'])
    expect(page).toContain(`runtime.${field}`)
})
