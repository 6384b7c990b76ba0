import { ConfigError, tool, toolMessage } from 'cepa'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolRegistry } from '../../src/tools/registry.js'

const call = (id: string, name: string, args: unknown = {}) => ({ id, name, arguments: JSON.stringify(args) })
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A tool that notes when it starts and ends. */
function slow(trace: string[], name: string, ms: number, sequential = false) {
  return tool(
    async () => {
      trace.push(`+${name}`)
      await wait(ms)
      trace.push(`-${name}`)
      return name
    },
    { name, description: 'x', sequential },
  )
}

describe('execute', () => {
  test('S8: gives one result per call, in call order, whichever finishes first', async () => {
    const registry = new ToolRegistry()
    const delays = Array.from({ length: 8 }, () => Math.random() * 20)
    for (const [index, ms] of delays.entries()) registry.register(slow([], `t${index}`, ms))
    const results = await registry.execute(delays.map((_ms, index) => call(`c${index}`, `t${index}`)))
    expect(results.map(({ toolCallId, name, content }) => [toolCallId, name, content])).toEqual(
      delays.map((_ms, index) => [`c${index}`, `t${index}`, `t${index}`]),
    )
  })

  test('S9: takes both shapes of a call, and arguments that are an object already', async () => {
    const echo = tool((args) => args, { name: 'echo', description: 'x', schema: z.object({ n: z.number() }) })
    const results = await new ToolRegistry()
      .register(echo)
      .execute([
        { id: '1', name: 'echo', arguments: '{"n":1}' },
        { id: '2', type: 'function', function: { name: 'echo', arguments: '{"n":2}' } },
        { id: '3', name: 'echo', arguments: { n: 3 } },
        { name: 'echo', arguments: '{"n":4}' } as never,
      ])
    expect(results.map(({ toolCallId, content }) => [toolCallId, content])).toEqual([
      ['1', '{"n":1}'],
      ['2', '{"n":2}'],
      ['3', '{"n":3}'],
      ['call_4', '{"n":4}'],
    ])
  })

  test('S10: gives results of one shape, with the ready tool message', async () => {
    const registry = new ToolRegistry()
      .register(
        tool(() => ['seen', { raw: 1 }], { name: 'pair', description: 'x', responseFormat: 'content_and_artifact' }),
      )
      .register(tool(() => toolMessage('no', { status: 'denied' }), { name: 'denied', description: 'x' }))
    expect(await registry.execute([call('1', 'pair'), call('2', 'denied')])).toEqual([
      {
        toolCallId: '1',
        name: 'pair',
        content: 'seen',
        isError: false,
        artifact: { raw: 1 },
        message: {
          role: 'tool',
          tool_call_id: '1',
          name: 'pair',
          content: 'seen',
          status: 'success',
          artifact: { raw: 1 },
        },
      },
      {
        toolCallId: '2',
        name: 'denied',
        content: 'no',
        isError: true,
        message: { role: 'tool', tool_call_id: '2', name: 'denied', content: 'no', status: 'denied' },
      },
    ])
  })

  test('S11: calls run in parallel by default', async () => {
    const trace: string[] = []
    const registry = new ToolRegistry()
    for (const name of ['a', 'b', 'c']) registry.register(slow(trace, name, 10))
    await registry.execute(['a', 'b', 'c'].map((name) => call(name, name)))
    expect(trace.slice(0, 3)).toEqual(['+a', '+b', '+c'])
  })

  test.each([false, { concurrency: 1 }])(
    'S12: parallel: %j runs one after the other, in call order',
    async (parallel) => {
      const trace: string[] = []
      const registry = new ToolRegistry().register(slow(trace, 'a', 5)).register(slow(trace, 'b', 1))
      await registry.execute([call('1', 'a'), call('2', 'b')], { parallel })
      expect(trace).toEqual(['+a', '-a', '+b', '-b'])
    },
  )

  test('S12: { concurrency } bounds it', async () => {
    let running = 0
    let most = 0
    const work = tool(
      async () => {
        most = Math.max(most, ++running)
        await wait(2)
        running--
      },
      { name: 'work', description: 'x' },
    )
    const calls = Array.from({ length: 7 }, (_, index) => call(String(index), 'work'))
    const results = await new ToolRegistry().register(work).execute(calls, { parallel: { concurrency: 3 } })
    expect(most).toBe(3)
    expect(results).toHaveLength(7)
  })

  test('S13: a sequential tool overlaps nothing', async () => {
    const trace: string[] = []
    const registry = new ToolRegistry().register(slow(trace, 'a', 3)).register(slow(trace, 'b', 3))
    registry.register(slow(trace, 'alone', 1, true))
    await registry.execute(['a', 'b', 'alone', 'a', 'b'].map((name, index) => call(String(index), name)))
    expect(trace.slice(4, 6)).toEqual(['+alone', '-alone'])
    expect(trace.slice(0, 4).sort()).toEqual(['+a', '+b', '-a', '-b'])
  })

  test('S15: shows texts as they are, objects as JSON, nothing as nothing', async () => {
    const values: Record<string, unknown> = { text: 'Sunny', object: { temp: 72 }, nothing: undefined }
    const registry = new ToolRegistry()
    for (const [name, value] of Object.entries(values)) registry.register(tool(() => value, { name, description: 'x' }))
    const results = await registry.execute(Object.keys(values).map((name) => call(name, name)))
    expect(results.map(({ content }) => content)).toEqual(['Sunny', '{"temp":72}', ''])
  })

  test('S17: context reaches every tool, frozen, and the rest of the runtime is empty', async () => {
    const given = { user: { id: 'u1' } }
    const look = tool(
      (_args, runtime) => {
        runtime.writer('nobody listens')
        const { context, executionInfo, serverInfo, state, config } = runtime
        expect(() => {
          ;(context as { user: { id: string } }).user.id = 'forged'
        }).toThrow(TypeError)
        return { context, thread: executionInfo.threadId, turn: executionInfo.turn, serverInfo, state, config }
      },
      { name: 'look', description: 'x' },
    )
    const [result] = await new ToolRegistry().register(look).execute([call('1', 'look')], { context: given })
    expect(JSON.parse(result?.content as string)).toEqual({
      context: given,
      thread: null,
      turn: 0,
      serverInfo: null,
      state: { messages: [] },
      config: { tags: [], metadata: {} },
    })
    given.user.id = 'still mine'
  })

  test('S24: no calls, nothing started', async () => {
    expect(await new ToolRegistry().execute([])).toEqual([])
  })

  test('an abort rejects with its reason, and leaves no listener', async () => {
    const registry = new ToolRegistry().register(
      tool(() => new Promise(() => {}), { name: 'endless', description: 'x' }),
    )
    const controller = new AbortController()
    const running = registry.execute([call('1', 'endless')], { signal: controller.signal })
    controller.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
    await expect(registry.execute([call('1', 'endless')], { signal: controller.signal })).rejects.toThrow('stop')
  })

  test.each<[unknown, unknown, RegExp]>([
    ['calls', {}, /expected an array of tool calls, got "calls"/],
    [[null], {}, /toolCalls\[0\]: expected \{ id, name, arguments \}/],
    [[], { paralel: true }, /unknown option "paralel"/],
    [[], { parallel: { concurrency: 0 } }, /expected parallel to be true, false or \{ concurrency \}/],
    [[], { context: 'x' }, /expected context to be an object/],
    [[], { signal: {} }, /expected signal to be an AbortSignal/],
  ])('refuses %j with %j', async (calls, options, message) => {
    const running = new ToolRegistry().execute(calls as never, options as never)
    await expect(running).rejects.toThrow(message)
    await expect(new ToolRegistry().execute(calls as never, options as never)).rejects.toThrow(ConfigError)
  })
})
