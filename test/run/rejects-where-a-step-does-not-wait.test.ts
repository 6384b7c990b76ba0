import { createAgent, createMiddleware, errorInfo, reply, wrapModelCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked, rejection, tick } from './checked.js'

const slow = wrapModelCall(async (_request, handler) => {
  await tick()
  return handler()
})

describe('case 1: an un-awaited next()', () => {
  for (const ring of ['wrapRun', 'wrapTurn'] as const) {
    it(`of ${ring} rejects the run with STEP_NOT_AWAITED, names the layer, and leaves the thread valid`, async () => {
      let ended = 0
      const careless = createMiddleware({
        name: 'careless',
        [ring]: (_context: object, next: () => Promise<void>) => {
          void next()
          void next()
        },
        afterAgent: () => void ended++,
      })
      const model = scriptedModel(['never shown', 'second'])
      const agent = createAgent({ model, middleware: [careless, slow], checkpointer: memoryCheckpointer() })
      const error = await rejection(agent.invoke('go', { threadId: 'T' }))
      expect(error).toMatchObject({ code: 'STEP_NOT_AWAITED', message: expect.stringContaining('careless') })
      expect(ended, 'afterAgent').toBe(0)
      expect(model.calls.length, 'nothing runs on').toBe(0)
      const stream = agent.stream('go', { threadId: 'T' })
      expect(await rejection(stream.result)).toMatchObject({ code: 'STEP_NOT_AWAITED' })
    })

    it(`of ${ring} that threw itself rejects with what it threw`, async () => {
      const boom = new Error('boom')
      const careless = createMiddleware({
        name: 'careless',
        [ring]: (_context: object, next: () => Promise<void>) => {
          void next()
          throw boom
        },
      })
      const agent = createAgent({ model: scriptedModel([]), middleware: [careless, slow] })
      expect(await rejection(agent.invoke('go'))).toBe(boom)
      expect(errorInfo(boom)).toMatchObject({ layer: 'careless' })
    })

    it(`of ${ring}, twice in a row, rejects with the error of koa-compose where it is awaited`, async () => {
      const caught: unknown[] = []
      const twice = createMiddleware({
        name: 'twice',
        [ring]: async (_context: object, next: () => Promise<void>) => {
          await next()
          await next().catch((error) => caught.push(error))
        },
      })
      const model = scriptedModel(['once'])
      checked(await createAgent({ model, middleware: [twice] }).invoke('go'), model)
      expect(caught).toMatchObject([{ message: 'next() called multiple times' }])
      expect(model.calls).toHaveLength(1)
    })
  }

  it('of the model ring is no fault: entries that nobody waits for are dropped', async () => {
    const model = scriptedModel(() => new Error('late'))
    const careless = wrapModelCall(async (request, handler) => {
      void handler(request)
      void handler(request)
      return reply('made up')
    })
    const result = checked(await createAgent({ model, middleware: [careless] }).invoke('go'), model)
    expect(result.output).toBe('made up')
    await tick()
  })
})
