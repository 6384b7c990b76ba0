import { allow, createAgent, createMiddleware, deny, tool, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from '../run/checked.js'

const pay = () => {
  const paid: number[] = []
  const schema = z.object({ amount: z.number() })
  return { paid, tool: tool(({ amount }) => `paid ${paid.push(amount)}`, { name: 'pay', description: 'P.', schema }) }
}
const script = (args: unknown = { amount: 1 }) => scriptedModel([{ toolCalls: [toolCall('pay', args)] }, 'done'])
const policy = (name: string, authorizeToolCall: () => unknown) =>
  createMiddleware({ name, authorizeToolCall: authorizeToolCall as () => ReturnType<typeof allow> })

describe('authorizeToolCall', () => {
  it('that all allow executes; one deny wins, its reason is what the model is told, and it is no error', async () => {
    const yes = policy('yes', allow)
    const no = policy('no', () => deny('Not today.'))
    for (const [middleware, count] of [
      [[yes], 1],
      [[yes, no], 0],
      [[no, yes], 0],
    ] as const) {
      const { paid, tool } = pay()
      const model = script()
      const result = checked(await createAgent({ model, tools: [tool], middleware }).invoke('go'), model)
      expect(paid).toHaveLength(count)
      expect(result.messages[2]).toMatchObject(
        count ? { status: 'success' } : { status: 'denied', content: 'Not today.' },
      )
    }
  })

  it.each([
    ['undefined', () => undefined],
    ['true', () => true],
    ['another verdict', () => ({ verdict: 'yes' })],
    ['a throw', () => Promise.reject(new Error('policy down'))],
  ])('that gives %s is an error result and never an execution', async (_title, given) => {
    const { paid, tool } = pay()
    const model = script()
    const result = checked(
      await createAgent({ model, tools: [tool], middleware: [policy('odd', given)] }).invoke('go'),
      model,
    )
    expect(paid).toEqual([])
    expect(result.messages[2]).toMatchObject({ status: 'error' })
  })

  it('sees the call as layers changed it, after its arguments were checked', async () => {
    const seen: unknown[] = []
    const look = createMiddleware({
      name: 'look',
      authorizeToolCall: ({ toolCall, tool }) => {
        seen.push([tool.name, toolCall.args])
        return allow()
      },
    })
    const change = wrapToolCall((request, handler) => handler(request.override({ args: { amount: 5 } })))
    const { paid, tool } = pay()
    const model = script({ amount: 1 })
    // Outside or inside the list: a policy is asked at the core.
    checked(await createAgent({ model, tools: [tool], middleware: [look, change] }).invoke('go'), model)
    expect(seen).toEqual([['pay', { amount: 5 }]])
    expect(paid).toEqual([5])
    const misfit = script({ amount: 'x' })
    checked(await createAgent({ model: misfit, tools: [tool], middleware: [look] }).invoke('go'), misfit)
    expect(seen).toHaveLength(1)
  })

  it('is asked at each entry: a layer that retries does not get round it', async () => {
    let asked = 0
    const once = policy('once', () => (++asked === 1 ? allow() : deny('No more.')))
    const twice = wrapToolCall(async (_request, handler) => {
      await handler()
      return handler()
    })
    const { paid, tool } = pay()
    const model = script()
    const result = checked(await createAgent({ model, tools: [tool], middleware: [twice, once] }).invoke('go'), model)
    expect(paid).toEqual([1])
    expect(result.messages[2]).toMatchObject({ status: 'denied' })
  })
})
