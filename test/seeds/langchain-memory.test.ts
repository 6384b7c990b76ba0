import { createAgent, createMiddleware, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { memoryStore } from 'cepa/stores/memory'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedRun, rejection } from '../run/checked.js'

const named = (name: string) => tool(() => `ran ${name}`, { name, description: `Does ${name}.` })
const names = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name)

test('L17: what a tool saved on one thread is read on another', async () => {
  const schema = z.object({ id: z.string() })
  const save = tool(
    async ({ id }, { store }) => {
      await store.put(['users'], id, { name: 'Ada', languages: ['en', 'no'] })
      return 'saved'
    },
    { name: 'save', description: 'Saves.', schema },
  )
  const load = tool(async ({ id }, { store }) => (await store.get(['users'], id))?.value ?? 'unknown', {
    name: 'load',
    description: 'Loads.',
    schema,
  })
  const model = scriptedModel([
    { toolCalls: [toolCall('save', { id: 'u1' })] },
    'ok',
    { toolCalls: [toolCall('load', { id: 'u1' }), toolCall('load', { id: 'u2' })] },
    'ok',
  ])
  const agent = createAgent({ model, tools: [save, load], store: memoryStore(), checkpointer: memoryCheckpointer() })
  await checkedRun(agent.invoke('save', { threadId: 't1' }), model)
  const { messages } = await checkedRun(agent.invoke('load', { threadId: 't2' }), model)
  expect(messages.map(({ content }) => content)).toEqual([
    'load',
    null,
    '{"name":"Ada","languages":["en","no"]}',
    'unknown',
    'ok',
  ])
})

test('L17: without a store its use is a ConfigError that says what to do', async () => {
  const load = tool((_args, { store }) => store.get(['users'], 'u1'), { name: 'load', description: 'Loads.' })
  const model = scriptedModel([{ toolCalls: [toolCall('load')] }])
  const error = await rejection(createAgent({ model, tools: [load] }).invoke('hi'))
  expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('memoryStore()') })
})

test('L18: labels of a namespace are any texts, kept apart, and a search goes by prefix and filter', async () => {
  const store = memoryStore()
  await store.put(['users', 'ada@x.org'], 'a', { kind: 'note', stars: 3 })
  await store.put(['users', 'ada@x.org', 'https://x.org/a?b=c'], 'b', { kind: 'note', stars: 5 })
  await store.put(['users', 'ada@x', 'org'], 'c', { kind: 'note', stars: 9 })
  await store.put(['users/ada@x.org'], 'd', { kind: 'task' })
  await store.put(['__proto__'], 'constructor', { kind: 'task' })
  const keys = async (...given: Parameters<typeof store.search>) => (await store.search(...given)).map(({ key }) => key)
  expect(await keys(['users', 'ada@x.org'])).toEqual(['a', 'b'])
  expect(await keys(['users'], { filter: { stars: { $gte: 5 } } })).toEqual(expect.arrayContaining(['b', 'c']))
  expect(await keys(['users'], { filter: { stars: { $gte: 5 } } })).toHaveLength(2)
  expect(await keys([], { filter: { kind: 'task' } })).toHaveLength(2)
  expect(await keys([], { limit: 2, offset: 1 })).toHaveLength(2)
  expect((await store.get(['__proto__'], 'constructor'))?.value).toEqual({ kind: 'task' })
  await expect(store.search([], { filter: { stars: { $near: 1 } } })).rejects.toMatchObject({ code: 'CONFIG' })
  expect(await store.listNamespaces({ prefix: ['users'], maxDepth: 2 })).toEqual(
    expect.arrayContaining([
      ['users', 'ada@x.org'],
      ['users', 'ada@x'],
    ]),
  )
  const [item, written] = await store.batch([
    { type: 'get', namespace: ['users', 'ada@x.org'], key: 'a' },
    { type: 'put', namespace: ['users'], key: 'e', value: 1 },
  ])
  expect(item).toMatchObject({ value: { stars: 3 } })
  expect(written ?? undefined).toBeUndefined()
})

test('L19: a store of any kind is taken, if it has the methods of the interface', async () => {
  const calls: string[] = []
  const store = new Proxy(memoryStore(), {
    get(target, key, receiver) {
      if (typeof key === 'string') calls.push(key)
      const value: unknown = Reflect.get(target, key, receiver)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const save = tool((_args, { store: given }) => given.put(['a'], 'b', 1), { name: 'save', description: 'Saves.' })
  const model = scriptedModel([{ toolCalls: [toolCall('save')] }, 'ok'])
  await checkedRun(createAgent({ model, tools: [save], store }).invoke('hi'), model)
  expect(calls).toContain('put')
  const wrong = { get() {}, put() {} } as unknown as typeof store
  expect(() => createAgent({ model, store: wrong })).toThrow(/store/)
})

test('L39: tools are chosen by the store, and without an entry nothing is filtered', async () => {
  const byStore = createMiddleware({
    name: 'by store',
    contextSchema: z.object({ userId: z.string() }),
    async wrapModelCall(request, handler) {
      const flags = await request.runtime.store.get<string[]>(['features'], request.context.userId)
      if (flags === null) return handler(request)
      return handler(request.override({ tools: request.tools.filter(({ name }) => flags.value.includes(name)) }))
    },
  })
  const store = memoryStore()
  await store.put(['features'], 'u1', ['public_search'])
  const model = scriptedModel(['ok', 'ok'])
  const agent = createAgent({
    model,
    store,
    tools: [named('public_search'), named('private_account')],
    middleware: [byStore],
  })
  await checkedRun(agent.invoke('hi', { context: { userId: 'u1' } }), model)
  await checkedRun(agent.invoke('hi', { context: { userId: 'u2' } }), model)
  expect(names(model.calls[0]?.tools)).toEqual(['public_search'])
  expect(names(model.calls[1]?.tools)).toEqual(['public_search', 'private_account'])
})
