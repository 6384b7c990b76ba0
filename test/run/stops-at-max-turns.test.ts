import { command, createAgent, createMiddleware, tool, wrapModelCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checked } from './checked.js'

const search = tool(() => 'found', { name: 'search', description: 'S.' })
const call = { toolCalls: [toolCall('search', { q: 'x' }), toolCall('search', { q: 'x' })] }

it('case 63: the run ends with valid history and its work; the thread goes on', async () => {
  const checkpointer = memoryCheckpointer()
  const model = scriptedModel([call, call, { text: 'partly', ...call }])
  const agent = createAgent({ model, tools: [search], maxTurns: 3, checkpointer })
  const result = checked(await agent.invoke('go', { threadId: 'T' }), model)
  model.done()
  expect(result).toMatchObject({ stopReason: 'maxTurns', output: 'partly', usage: { requests: 3 } })
  expect(result.messages.slice(-2)).toMatchObject([{ content: 'found' }, { content: 'found' }])
  const next = scriptedModel(['fine'])
  const after = createAgent({ model: next, tools: [search], checkpointer })
  expect(checked(await after.invoke('and?', { threadId: 'T' }), next)).toMatchObject({ stopReason: 'stop' })
})

it('case 62: a run option overrides it, per run; a new run counts anew', async () => {
  const checkpointer = memoryCheckpointer()
  const model = scriptedModel(() => call)
  const agent = createAgent({ model, tools: [search], maxTurns: 10, checkpointer })
  for (const maxTurns of [2, 5, undefined]) {
    const before = model.calls.length
    const options = { threadId: 'T', ...(maxTurns && { maxTurns }) }
    expect(checked(await agent.invoke('go', options), model).stopReason).toBe('maxTurns')
    expect(model.calls.length - before).toBe(maxTurns ?? 10)
  }
})

it('limits: for any script, gotos and retries, the turns are exactly min(script, limit)', async () => {
  const turn = fc.constantFrom('tools', 'goto model', 'before', 'retry')
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 8 }), fc.integer({ min: 1, max: 8 }), async (script, maxTurns) => {
      let at = 0
      let retries = 0
      const kind = () => script[at]
      const model = scriptedModel(() => (kind() === undefined || kind() === 'goto model' ? 'text' : call))
      const driver = createMiddleware({
        name: 'driver',
        wrapTurn: async (_turn, next) => {
          await next()
          at++
        },
        beforeModel: () => (kind() === 'before' ? command({ goto: 'model' }) : undefined),
        afterModel: () => (kind() === 'goto model' ? command({ goto: 'model' }) : undefined),
      })
      const retry = wrapModelCall(async (_request, handler) => {
        if (kind() !== 'retry') return handler()
        retries++
        await handler()
        return handler()
      })
      const agent = createAgent({ model, tools: [search], middleware: [driver, retry], maxTurns })
      const result = checked(await agent.invoke('go'), model)
      expect(at).toBe(Math.min(script.length + 1, maxTurns))
      expect(result.stopReason).toBe(script.length + 1 > maxTurns ? 'maxTurns' : 'stop')
      const skipped = script.slice(0, at).filter((one) => one === 'before').length
      expect(result.usage.requests).toBe(at - skipped + retries)
    }),
    { numRuns: 500 },
  )
}, 30_000)
