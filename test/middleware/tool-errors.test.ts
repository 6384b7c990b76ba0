import { ConfigError, ConflictError, createAgent, createMiddleware, type Middleware, tool, toolMessage } from 'cepa'
import { toolErrors } from 'cepa/middleware/tool-errors'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, test } from 'vitest'
import { middlewareContract } from '../contracts/middleware.js'
import { checked, rejection } from '../run/checked.js'

const failing = (error: unknown) =>
  tool(
    () => {
      throw error
    },
    { name: 'fail', description: 'Fails.' },
  )
const agentOf = (error: unknown, middleware: readonly Middleware[], toolErrors?: 'throw') =>
  createAgent({
    model: scriptedModel([{ toolCalls: [toolCall('fail')] }, 'done']),
    tools: [failing(error)],
    middleware,
    ...(toolErrors && { toolErrors }),
  })

describe('toolErrors', () => {
  middlewareContract(() => toolErrors())

  test('an exception becomes an error message that the layers outside see as a result', async () => {
    const seen: unknown[] = []
    const outside = createMiddleware({
      name: 'outside',
      wrapToolCall: async (request, handler) => {
        const result = await handler(request)
        seen.push(result.message.content, result.message.status)
        return result
      },
    })
    const agent = agentOf(new Error('no such file'), [outside, toolErrors()], 'throw')
    const result = checked(await agent.invoke('go'))
    expect(seen).toEqual(['no such file', 'error'])
    expect(result.messages.at(-2)).toMatchObject({ role: 'tool', content: 'no such file', status: 'error' })
  })

  test('format says what the model is told', async () => {
    const format = async (error: unknown, { toolCall }: { toolCall: { name: string } }) =>
      `${toolCall.name}: ${(error as Error).message}`
    const result = checked(await agentOf(new Error('boom'), [toolErrors({ format })]).invoke('go'))
    expect(result.messages.at(-2)?.content).toBe('fail: boom')
  })

  test('what the filter refuses passes on as the same object', async () => {
    const error = new RangeError('too far')
    const filter = (thrown: unknown) => !(thrown instanceof RangeError)
    expect(await rejection(agentOf(error, [toolErrors({ filter })], 'throw').invoke('go'))).toBe(error)
    const other = checked(await agentOf(new Error('near'), [toolErrors({ filter })], 'throw').invoke('go'))
    expect(other.messages.at(-2)?.content).toBe('near')
  })

  test('a text that is not to be shown is not shown', async () => {
    const error = Object.assign(new Error('password is 1234'), { expose: false })
    const result = checked(await agentOf(error, [toolErrors()]).invoke('go'))
    expect(result.messages.at(-2)?.content).not.toContain('1234')
  })

  test.each([
    ['ConfigError', new ConfigError('wrong')],
    ['ConflictError', new ConflictError('taken')],
    ['abort', new DOMException('stop', 'AbortError')],
  ])('a %s passes, whatever the filter says', async (_name, error) => {
    const caught: unknown[] = []
    const outside = createMiddleware({
      name: 'outside',
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request)
        } catch (thrown) {
          caught.push(thrown)
          return { message: toolMessage('caught outside') }
        }
      },
    })
    await agentOf(error, [outside, toolErrors({ filter: () => true })]).invoke('go')
    expect(caught).toEqual([error])
  })

  test('a call of an unknown tool and arguments that do not fit become messages, too', async () => {
    const model = scriptedModel([{ toolCalls: [toolCall('nobody')] }, 'done'])
    const middleware = [toolErrors({ format: (error) => `told: ${(error as { code: string }).code}` })]
    const result = checked(await createAgent({ model, tools: [failing(1)], middleware }).invoke('go'))
    expect(result.messages.at(-2)?.content).toBe('told: TOOL_NOT_FOUND')
  })

  test('options are checked', () => {
    expect(() => toolErrors({ filter: 'yes' as never })).toThrow(/expected filter to be a function .*, got string/)
    expect(() => toolErrors({ fliter: () => true } as never)).toThrow(/unknown option "fliter"; expected filter or/)
    expect(() => toolErrors({ filter: 1 as never })).toThrow(ConfigError)
    for (const options of [null, 3, 'text', true]) {
      expect(() => toolErrors(options as never)).toThrow(
        expect.objectContaining({
          code: 'CONFIG',
          message: `toolErrors(): expected an object of options, got ${options}`,
        }),
      )
    }
  })
})
