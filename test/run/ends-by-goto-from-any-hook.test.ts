import { command, createAgent, createMiddleware, type Middleware, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked } from './checked.js'

const HOOKS = ['beforeAgent', 'beforeModel', 'afterModel'] as const

function counted(): { executed: () => number; charge: ReturnType<typeof tool> } {
  let count = 0
  return { executed: () => count, charge: tool(() => `done ${++count}`, { name: 'charge', description: 'Charges.' }) }
}

describe('goto', () => {
  const quiet = createMiddleware({ name: 'quiet', afterModel: () => undefined, beforeModel: () => ({}) })

  for (const order of ['first', 'last'] as const) {
    const at = (middleware: Middleware): Middleware[] => (order === 'first' ? [middleware, quiet] : [quiet, middleware])

    it(`case 4: goto 'end' from afterModel of the ${order} hook: the tool is not executed, its call is answered`, async () => {
      const { charge, executed } = counted()
      const model = scriptedModel([{ text: 'Charging.', toolCalls: [toolCall('charge'), toolCall('charge')] }])
      const stop = createMiddleware({ name: 'stop', afterModel: () => command({ goto: 'end' }) })
      const agent = createAgent({ model, tools: [charge], middleware: at(stop) })
      const result = checked(await agent.invoke('go'), model)
      expect(result).toMatchObject({ stopReason: 'goto', output: 'Charging.' })
      expect(result.messages.slice(-2)).toMatchObject([{ status: 'error' }, { status: 'error' }])
      expect(executed()).toBe(0)
    })

    it(`case 4: goto 'model' from afterModel of the ${order} hook on a plain reply: one more turn`, async () => {
      const model = scriptedModel(['one', 'two'])
      let asked = 0
      const again = createMiddleware({
        name: 'again',
        afterModel: () => (++asked === 1 ? command({ goto: 'model' }) : undefined),
      })
      const result = checked(await createAgent({ model, middleware: at(again) }).invoke('go'), model)
      expect(result).toMatchObject({ stopReason: 'stop', output: 'two', usage: { requests: 2 } })
    })
  }

  it.each(HOOKS)("'end' from %s ends the run with 'goto', or with the reason it names", async (hook) => {
    for (const stopReason of [undefined, 'limit'] as const) {
      const model = scriptedModel(hook.startsWith('before') ? [] : ['text'])
      const stop = createMiddleware({
        name: 'stop',
        [hook]: () => command({ goto: 'end', ...(stopReason && { stopReason }) }),
      })
      const result = checked(await createAgent({ model, middleware: [stop] }).invoke('go'), model)
      model.done()
      expect(result.stopReason).toBe(stopReason ?? 'goto')
    }
  })

  it("from afterAgent: 'model' is one more turn, 'end' is what happens anyway", async () => {
    for (const goto of ['model', 'end'] as const) {
      const model = scriptedModel(goto === 'model' ? ['one', 'two'] : ['one'])
      let sent = false
      const once = createMiddleware({
        name: 'once',
        afterAgent: () => {
          if (sent) return undefined
          sent = true
          return command({ goto })
        },
      })
      const result = checked(await createAgent({ model, middleware: [once] }).invoke('go'), model)
      model.done()
      expect(result.stopReason).toBe('stop')
    }
  })

  it("'end' beats 'model' beats 'tools' within a phase, in either order", async () => {
    for (const gotos of [
      ['end', 'model'],
      ['model', 'end'],
    ] as const) {
      const model = scriptedModel(['text'])
      const middleware = gotos.map((goto) => createMiddleware({ name: goto, afterModel: () => command({ goto }) }))
      const result = checked(await createAgent({ model, middleware }).invoke('go'), model)
      expect(result.stopReason).toBe('goto')
      expect(model.calls).toHaveLength(1)
    }
  })

  it("case 4: a tool's goto 'end' keeps its result and its siblings'", async () => {
    const stop = tool(() => command({ messages: [], goto: 'end', update: {} }), { name: 'stop', description: 'Stops.' })
    const { charge, executed } = counted()
    const model = scriptedModel([{ toolCalls: [toolCall('stop'), toolCall('charge')] }])
    const result = checked(await createAgent({ model, tools: [stop, charge] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'goto' })
    expect(result.messages.at(-1)).toMatchObject({ content: 'done 1', status: 'success' })
    expect(executed()).toBe(1)
  })

  it('a misspelt goto is a StateError, not a silence', async () => {
    const bad = createMiddleware({ name: 'bad', afterModel: () => command({ goto: 'END' as 'end' }) })
    const agent = createAgent({ model: scriptedModel(['text']), middleware: [bad] })
    await expect(agent.invoke('go')).rejects.toMatchObject({ code: 'STATE', message: expect.stringContaining("'end'") })
  })
})
