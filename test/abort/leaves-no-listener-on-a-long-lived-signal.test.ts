import { getEventListeners } from 'node:events'
import { createAgent, createMiddleware, tool, wrapModelCall, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checkNoLeaks } from '../invariants.js'
import { checked, tick } from '../run/checked.js'

const work = tool(
  async (_args, { signal }) => {
    await tick()
    return String(signal.aborted)
  },
  { name: 'work', description: 'W.', timeoutMs: 10_000 },
)
const retry = wrapModelCall((_request, handler) => handler().catch(() => handler()))
const timed = wrapToolCall((request, handler) => {
  const own = new AbortController()
  return handler(request.override({ signal: own.signal }))
})
const steps = createMiddleware({ name: 'steps', wrapRun: (_run, next) => next(), wrapTurn: (_turn, next) => next() })
const script = () => {
  const call = { toolCalls: [toolCall('work'), toolCall('work')] }
  return scriptedModel([new Error('503'), call, call, 'done'])
}

it('cases 68, 69: 200 runs on one signal, invoked, streamed, left, abandoned, aborted: nothing is left on it', async () => {
  const { signal } = new AbortController()
  await checkNoLeaks(async () => {
    for (let round = 0; round < 40; round++) {
      const model = script()
      const agent = createAgent({ model, tools: [work], middleware: [steps, retry, timed] })
      checked(await agent.invoke('go', { signal }), model)
      const read = createAgent({ model: script(), tools: [work], middleware: [retry] }).stream('go', { signal })
      for await (const _ of read);
      const left = createAgent({ model: script(), tools: [work], middleware: [retry] }).stream('go', { signal })
      for await (const event of left) if (event.type === 'tool-start') break
      const abandoned = createAgent({ model: script(), tools: [work], middleware: [retry] }).stream('go', { signal })
      const aborted = createAgent({ model: script(), tools: [work], middleware: [steps] }).stream('go', { signal })
      aborted.abort()
      const failed = createAgent({ model: script() }).invoke('go', { signal })
      await Promise.allSettled([read.result, left.result, abandoned.result, aborted.result, failed])
    }
  }, [signal])
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
