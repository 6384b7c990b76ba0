import { compose, createAgent, createMiddleware, tool } from 'cepa'
import { forTools, unless, when } from 'cepa/middleware'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checked } from './checked.js'

const a = tool(() => 'a', { name: 'a', description: 'A.' })
const b = tool(() => 'b', { name: 'b', description: 'B.' })
const c = tool(() => 'c', { name: 'c', description: 'C.' })
const script = () => scriptedModel([{ toolCalls: [toolCall('a'), toolCall('b'), toolCall('c')] }, 'done'])

class Counter {
  readonly name = 'counter'
  calls = 0
  runs = 0
  wrapToolCall(_request: unknown, handler: () => Promise<never>): Promise<never> {
    this.calls++
    return handler()
  }
  beforeAgent(): void {
    this.runs++
  }
}

describe('case 11', () => {
  it('one object given to many tools and agents is one object, and its hooks keep their this', async () => {
    const counter = new Counter()
    for (const middleware of [[forTools(['a', 'b'], counter)], [counter]]) {
      const model = script()
      checked(await createAgent({ model, tools: [a, b, c], middleware }).invoke('go'), model)
    }
    expect([counter.calls, counter.runs]).toEqual([5, 2])
  })

  it.each([
    ['when', when],
    ['unless', unless],
  ] as const)('%s keeps it as well', async (_name, condition) => {
    const counter = new Counter()
    for (const holds of [true, false]) {
      const model = script()
      const middleware = [condition(() => holds, counter)]
      checked(await createAgent({ model, tools: [a, b, c], middleware }).invoke('go'), model)
    }
    expect([counter.calls, counter.runs]).toEqual([3, 1])
  })

  it('forTools() reaches into a stack', async () => {
    const counter = new Counter()
    const model = script()
    const middleware = [forTools(['a'], compose('s', [counter]))]
    checked(await createAgent({ model, tools: [a, b, c], middleware }).invoke('go'), model)
    expect([counter.calls, counter.runs]).toEqual([1, 1])
  })

  it('a field of a plain object counts through this', async () => {
    const counter = {
      name: 'plain',
      calls: 0,
      wrapToolCall(_request: unknown, handler: () => Promise<never>) {
        this.calls++
        return handler()
      },
    }
    const model = script()
    checked(await createAgent({ model, tools: [a, b, c], middleware: [counter] }).invoke('go'), model)
    expect(counter.calls).toBe(3)
  })
})

describe('case 8', () => {
  const summarize = (n: number) => createMiddleware({ name: 'summarize', afterAgent: () => void n })
  const same = summarize(1)

  it.each([
    ['two of one name', [summarize(1), same]],
    ['the same object twice', [same, same]],
  ])('%s is a ConfigError that names both positions', (_title, middleware) => {
    expect(() => createAgent({ model: scriptedModel([]), middleware })).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(/"summarize".*\[0\].*\[1\]/) }),
    )
  })

  it('agent.use() and agent.with() check it too; two names are fine', () => {
    const agent = createAgent({ model: scriptedModel([]), middleware: [same] })
    expect(() => agent.use(summarize(2))).toThrow(/summarize/)
    expect(() => agent.with(summarize(2))).toThrow(/summarize/)
    agent.with({ ...summarize(2), name: 'other' })
  })

  it('unnamed ones never clash', () => {
    const step = async (_run: unknown, next: () => Promise<void>) => next()
    createAgent({ model: scriptedModel([]), middleware: [step, step, step] })
  })
})
