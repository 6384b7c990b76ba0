import { createAgent, createMiddleware, type RunStep } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from './checked.js'

const model = () => scriptedModel(() => 'x')
const mark = (name: string, log: string[]) =>
  createMiddleware({ name, stateSchema: { [name]: z.number().default(0) }, beforeAgent: () => void log.push(name) })

describe('agent.use()', () => {
  it('adds in place, innermost, and returns the agent; an ordinary Koa middleware fits', async () => {
    const log: string[] = []
    const agent = createAgent({ model: model() })
    const koa: RunStep = async (run, next) => {
      log.push('koa in')
      await next()
      log.push(`koa out ${run.result?.stopReason}`)
    }
    expect(agent.use(mark('a', log))).toBe(agent)
    agent.use(koa).use(mark('b', log))
    checked(await agent.invoke('go'))
    expect(log).toEqual(['koa in', 'a', 'b', 'koa out stop'])
  })

  it.each(['invoke', 'stream', 'asTool'] as const)('is a ConfigError after the first run, by %s', async (way) => {
    const agent = createAgent({ model: model() })
    if (way === 'invoke') await agent.invoke('go')
    if (way === 'stream') await agent.stream('go').result
    if (way === 'asTool') {
      const script = scriptedModel([{ toolCalls: [{ name: 'sub', args: { input: 'x' } }] }, 'done'])
      const outer = createAgent({ model: script, tools: [agent.asTool({ name: 'sub', description: 'S.' })] })
      await outer.invoke('go')
    }
    expect(() => agent.use(mark('a', []))).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining('agent.with(') }),
    )
  })

  it('of what does not fit leaves the agent as it was', async () => {
    const log: string[] = []
    const agent = createAgent({ model: model(), middleware: [mark('a', log)] })
    expect(() => agent.use(mark('a', log))).toThrow(/"a"/)
    checked(await agent.invoke('go'))
    expect(log).toEqual(['a'])
  })
})

it('agent.with() gives a changed copy at any time, and leaves the agent and the list it came from alone', async () => {
  const log: string[] = []
  const list = [mark('a', log)]
  const agent = createAgent({ model: model(), middleware: list })
  list.push(mark('later', log))
  await agent.invoke('go')
  const more = agent.with(mark('b', log), mark('c', log))
  expect(more).not.toBe(agent)
  await more.invoke('go')
  await agent.invoke('go')
  expect(log).toEqual(['a', 'a', 'b', 'c', 'a'])
  more.with(mark('d', log)).use(mark('e', log))
})
