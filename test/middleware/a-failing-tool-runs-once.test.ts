import { createAgent, createMiddleware, isControl, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, test } from 'vitest'
import { checked } from '../run/checked.js'

/** A write whose answer is lost: nobody knows whether it reached the server. */
function payment() {
  const keys: string[] = []
  const pay = tool(
    (_args, { executionInfo }) => {
      keys.push(executionInfo.idempotencyKey)
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    },
    { name: 'pay', description: 'Pays.' },
  )
  return { keys, pay }
}
const script = () => scriptedModel([{ toolCalls: [toolCall('pay')] }, 'done'])

/** Retries written by hand: a layer that enters its handler again, because its author says that this is safe. */
const again = createMiddleware({
  name: 'again',
  wrapToolCall: async (request, handler) => {
    for (let left = 2; ; left--) {
      try {
        return await handler(request)
      } catch (error) {
        if (left === 0 || isControl(error)) throw error
      }
    }
  },
})

describe('case 70: a tool that fails', () => {
  test('runs once, and the model is told', async () => {
    const { keys, pay } = payment()
    const result = checked(await createAgent({ model: script(), tools: [pay] }).invoke('go'))
    expect(keys).toHaveLength(1)
    expect(result.messages.at(-2)).toMatchObject({ role: 'tool', status: 'error', content: 'read ECONNRESET' })
  })

  test('runs again where a layer asks for it, under the same idempotency key', async () => {
    const { keys, pay } = payment()
    const result = checked(await createAgent({ model: script(), tools: [pay], middleware: [again] }).invoke('go'))
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(result.messages.at(-2)).toMatchObject({ status: 'error' })
  })
})
