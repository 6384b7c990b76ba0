import { command, createAgent, createMiddleware } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checked } from './checked.js'

const counter = (name: string, log: string[]) =>
  createMiddleware({
    name,
    beforeModel: () => {
      log.push(name)
    },
  })

it("case 5: goto 'model' from afterModel runs every beforeModel again, once", async () => {
  const log: string[] = []
  const model = scriptedModel(['one', 'two'])
  let sent = false
  const again = createMiddleware({
    name: 'again',
    afterModel: () => {
      if (sent) return undefined
      sent = true
      return command({ goto: 'model' })
    },
  })
  const agent = createAgent({ model, middleware: [counter('H1', log), again, counter('H2', log)] })
  expect(checked(await agent.invoke('go'), model).output).toBe('two')
  expect(log).toEqual(['H1', 'H2', 'H1', 'H2'])
})

it("case 5: goto 'model' from beforeModel itself skips the later hooks and the model call, then starts anew", async () => {
  const log: string[] = []
  const model = scriptedModel(['one'])
  const first = createMiddleware({
    name: 'first',
    beforeModel: () => {
      log.push('first')
      return log.length === 1 ? command({ goto: 'model' }) : undefined
    },
  })
  const result = checked(await createAgent({ model, middleware: [first, counter('H2', log)] }).invoke('go'), model)
  expect(result).toMatchObject({ output: 'one', usage: { requests: 1 } })
  expect(log).toEqual(['first', 'first', 'H2'])
})

it("case 62: a beforeModel that always asks for 'model' is bounded by maxTurns", async () => {
  const model = scriptedModel([])
  const forever = createMiddleware({ name: 'forever', beforeModel: () => command({ goto: 'model' }) })
  const result = checked(await createAgent({ model, middleware: [forever], maxTurns: 7 }).invoke('go'), model)
  expect(result.stopReason).toBe('maxTurns')
})

it("'end' from beforeAgent skips the later before-hooks and every turn; afterAgent runs", async () => {
  const log: string[] = []
  const stop = createMiddleware({ name: 'stop', beforeAgent: () => command({ goto: 'end' }) })
  const rest = createMiddleware({
    name: 'rest',
    beforeAgent: () => {
      log.push('beforeAgent')
    },
    beforeModel: () => {
      log.push('beforeModel')
    },
    afterAgent: () => {
      log.push('afterAgent')
    },
  })
  const result = checked(await createAgent({ model: scriptedModel([]), middleware: [stop, rest] }).invoke('go'))
  expect(result.stopReason).toBe('goto')
  expect(log).toEqual(['afterAgent'])
})
