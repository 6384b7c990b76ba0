import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checked, gate, rejection } from '../run/checked.js'

// Every test also fails on a listener warning, see test/setup.ts.

it('a hundred runs on one signal put one listener on it, and none once they are over', async () => {
  const { signal } = new AbortController()
  const agent = createAgent({ model: scriptedModel(() => ({ text: 'done', delayMs: 5 })) })
  const runs = Array.from({ length: 100 }, () => agent.invoke('go', { signal }))
  await Promise.resolve()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await Promise.all(runs)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('one abort ends all of them, and a run that begins in the same moment too', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const entered = gate()
  const model = scriptedModel(() => {
    entered.open()
    return { text: 'late', delayMs: 60_000 }
  })
  const agent = createAgent({ model })
  const runs = Array.from({ length: 30 }, () => rejection(agent.invoke('go', { signal })))
  await entered.promise
  const reason = new Error('shutting down')
  controller.abort(reason)
  runs.push(rejection(agent.invoke('go', { signal })))
  for (const error of await Promise.all(runs)) expect(error).toBe(reason)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('fifty parallel calls may each listen to their signal', async () => {
  const wait = tool((_args, { signal }) => sleep(5, 'waited', { signal }), { name: 'wait', description: 'Waits.' })
  const model = scriptedModel([{ toolCalls: Array.from({ length: 50 }, () => toolCall('wait')) }, 'done'])
  const result = checked(await createAgent({ model, tools: [wait] }).invoke('go'))
  expect(result.messages.filter(({ role, content }) => role === 'tool' && content === 'waited')).toHaveLength(50)
})
