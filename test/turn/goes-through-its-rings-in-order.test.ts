import { createAgent, createMiddleware, tool, user, withUpdate, wrapModelCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from '../run/checked.js'

const t = tool(() => 't', { name: 't', description: 'T.' })

function everything(name: string, log: string[]) {
  const around = async (what: string, next: () => Promise<void>): Promise<void> => {
    log.push(`${name} ${what} in`)
    await next()
    log.push(`${name} ${what} out`)
  }
  return createMiddleware({
    name,
    tools: () => {
      log.push(`${name} tools`)
      return []
    },
    wrapRun: (_run, next) => around('run', next),
    wrapTurn: (_turn, next) => around('turn', next),
    wrapModelCall: async (_request, handler) => {
      log.push(`${name} model in`)
      const response = await handler()
      log.push(`${name} model out`)
      return response
    },
    wrapToolCall: async (_request, handler) => {
      log.push(`${name} tool in`)
      const result = await handler()
      log.push(`${name} tool out`)
      return result
    },
    beforeAgent: () => void log.push(`${name} beforeAgent`),
    beforeModel: () => void log.push(`${name} beforeModel`),
    afterModel: () => void log.push(`${name} afterModel`),
    afterAgent: () => void log.push(`${name} afterAgent`),
  })
}

it('in by order, out in reverse: run, agent, turn, model, tools', async () => {
  const log: string[] = []
  const model = scriptedModel([{ toolCalls: [toolCall('t')] }, 'done'])
  const agent = createAgent({ model, tools: [t], middleware: [everything('A', log), everything('B', log)] })
  checked(await agent.invoke('go'), model)
  const turn = (...tools: string[]): string[] => [
    ...['A turn in', 'B turn in', 'A beforeModel', 'B beforeModel', 'A tools', 'B tools'],
    ...['A model in', 'B model in', 'B model out', 'A model out', 'B afterModel', 'A afterModel'],
    ...tools,
    ...['B turn out', 'A turn out'],
  ]
  expect(log).toEqual([
    ...['A run in', 'B run in', 'A beforeAgent', 'B beforeAgent'],
    ...turn('A tool in', 'B tool in', 'B tool out', 'A tool out'),
    ...turn(),
    ...['B afterAgent', 'A afterAgent', 'B run out', 'A run out'],
  ])
})

describe('a step', () => {
  it.each(['wrapRun', 'wrapTurn'] as const)('%s that does not go on ends the run with its own answer', async (ring) => {
    const model = scriptedModel([])
    const early = createMiddleware({
      name: 'early',
      [ring]: (at: { update(update: object): void }) =>
        at.update({ messages: [{ role: 'assistant', content: 'early' }] }),
    })
    const result = checked(await createAgent({ model, middleware: [early] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'goto', output: 'early' })
  })

  it("of a turn that does not go on may say goto 'model': a new turn", async () => {
    const model = scriptedModel(['done'])
    const skip = createMiddleware({
      name: 'skip',
      wrapTurn: async (turn, next) => {
        if (turn.index < 3) turn.goto('model')
        else await next()
      },
    })
    const result = checked(await createAgent({ model, middleware: [skip] }).invoke('go'), model)
    expect(result).toMatchObject({ output: 'done', usage: { requests: 1 } })
  })

  it('reads what became of the turn, and shares locals and the live state', async () => {
    const seen: unknown[] = []
    const look = createMiddleware({
      name: 'look',
      stateSchema: { n: z.number().default(0) },
      wrapRun: async (run, next) => {
        run.locals.start = run.turns
        run.update({ n: 1 })
        seen.push(run.state.n, run.result)
        await next()
        seen.push(run.state.n, run.result?.output, run.turns, run.usage.requests, run.input)
      },
      wrapTurn: async (turn, next) => {
        turn.update({ n: turn.state.n + 1 })
        await next()
        seen.push(turn.index, turn.run.locals.start, turn.response?.finishReason, turn.results.length)
      },
    })
    const model = scriptedModel([{ toolCalls: [toolCall('t'), toolCall('t')] }, 'done'])
    checked(await createAgent({ model, tools: [t], middleware: [look] }).invoke('go'), model)
    expect(seen).toEqual([
      1,
      undefined,
      1,
      0,
      'tool_calls',
      2,
      2,
      0,
      'stop',
      0,
      3,
      'done',
      2,
      2,
      { messages: [user('go')] },
    ])
  })
})

it('a response and a result carry updates and a goto outwards', async () => {
  for (const from of ['model', 'tool'] as const) {
    const mark = createMiddleware({
      name: 'mark',
      stateSchema: { at: z.string().default('') },
      wrapModelCall: async (_request, handler) =>
        from === 'model' ? { ...withUpdate(await handler(), { at: from }), goto: 'end' } : handler(),
      wrapToolCall: async (_request, handler) => ({ ...withUpdate(await handler(), { at: from }), goto: 'end' }),
    })
    const model = scriptedModel([{ toolCalls: [toolCall('t')] }])
    const result = checked(await createAgent({ model, tools: [t], middleware: [mark] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'goto', state: { at: from } })
    expect(result.messages[2]).toMatchObject({ status: from === 'model' ? 'error' : 'success' })
  }
})

it('tools of one run alone are offered to it, and to no other', async () => {
  const model = scriptedModel([{ toolCalls: [toolCall('t')] }, 'done', { toolCalls: [toolCall('t')] }, 'done'])
  const pass = wrapModelCall((_request, handler) => handler())
  const agent = createAgent({ model, middleware: [pass] })
  expect(checked(await agent.invoke('go', { tools: [t] })).messages[2]).toMatchObject({ content: 't' })
  expect(checked(await agent.invoke('go'), model).messages[2]).toMatchObject({ status: 'error' })
})
