import { createAgent, errorText, Interruption, isAgentError, isControl, secret, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { toolErrors } from 'cepa/middleware/tool-errors'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'

const NEUTRAL = 'The tool failed.'
const no = (): never => {
  throw new Error('trap')
}
const TRAPS = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, no]))
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const HOSTILE: [string, () => unknown][] = [
  ['a proxy whose traps throw', () => new Proxy({}, TRAPS)],
  ['a proxy of an error', () => new Proxy(new Error('inner'), TRAPS)],
  ['a proxy of a function', () => new Proxy(() => {}, TRAPS)],
  ['a revoked proxy', revoked],
  ['getters that throw', () => Object.defineProperties({}, { name: { get: no }, message: { get: no } })],
]

describe.each(HOSTILE)('%s', (_name, make) => {
  it('is no error and no control flow, and has no text', () => {
    expect(isAgentError(make())).toBe(false)
    expect(isControl(make())).toBe(false)
    expect(make() instanceof Interruption).toBe(false)
    expect(errorText(make())).toBe(NEUTRAL)
  })

  it.each([
    ['by itself', {}, {}],
    ['by the middleware', {}, { middleware: [toolErrors()], toolErrors: 'throw' as const }],
    ['with a thread', {}, { checkpointer: memoryCheckpointer() }],
    ['with a time limit', { timeoutMs: 1000 }, {}],
  ])('is answered with the neutral text when a tool throws it, %s', async (_how, ofTool, ofAgent) => {
    for (const later of [false, true]) {
      const fail = tool(
        () => {
          if (later) return Promise.reject(make())
          throw make()
        },
        { name: 'fail', description: 'Fails.', ...ofTool },
      )
      const agent = createAgent({
        model: scriptedModel([{ toolCalls: [toolCall('fail')] }, 'done']),
        tools: [fail],
        ...ofAgent,
      })
      const options = 'checkpointer' in ofAgent ? { threadId: crypto.randomUUID() } : {}
      const { output, messages } = await agent.invoke('go', options)
      expect(output).toBe('done')
      expect(messages.at(-2)).toMatchObject({ role: 'tool', content: NEUTRAL, status: 'error' })
    }
  })
})

it('knows an interruption', () => {
  expect(new Interruption([]) instanceof Interruption).toBe(true)
  expect(isControl(new Interruption([]))).toBe(true)
  expect(isControl(new DOMException('', 'AbortError'))).toBe(true)
  expect(secret('x') instanceof Interruption).toBe(false)
})
