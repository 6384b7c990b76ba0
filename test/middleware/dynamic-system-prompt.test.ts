import { ConfigError, createAgent, createMiddleware, type ModelRequest } from 'cepa'
import { dynamicSystemPrompt } from 'cepa/middleware/dynamic-system-prompt'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { middlewareContract } from '../contracts/middleware.js'
import { rejection } from '../run/checked.js'

describe('dynamicSystemPrompt', () => {
  middlewareContract(() => dynamicSystemPrompt(({ systemPrompt }) => `${systemPrompt} Be brief.`))

  test('makes the prompt from context, state and the prompt so far', async () => {
    const model = scriptedModel(['hi', 'hi'])
    const make = async ({ systemPrompt, context, messages }: ModelRequest) =>
      `${systemPrompt} Speak ${(context as { language: string }).language}; ${messages.length} so far.`
    const agent = createAgent({
      model,
      systemPrompt: 'You help.',
      contextSchema: z.object({ language: z.string() }),
      middleware: [dynamicSystemPrompt(make)],
    })
    await agent.invoke('hello', { context: { language: 'Norwegian' } })
    await agent.invoke('hello', { context: { language: 'Greek' } })
    expect(model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual([
      'You help. Speak Norwegian; 1 so far.',
      'You help. Speak Greek; 1 so far.',
    ])
  })

  test('is asked again for each attempt of an outer layer', async () => {
    const model = scriptedModel([new Error('no'), 'hi'])
    let asked = 0
    const again = createMiddleware({
      name: 'again',
      wrapModelCall: (request, handler) => handler(request).catch(() => handler(request)),
    })
    await createAgent({ model, middleware: [again, dynamicSystemPrompt(() => `prompt ${++asked}`)] }).invoke('hello')
    expect(model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual(['prompt 1', 'prompt 2'])
  })

  test('anything but a string is a ConfigError that says what to return', async () => {
    const agent = createAgent({ model: scriptedModel([]), middleware: [dynamicSystemPrompt(() => undefined as never)] })
    const error = await rejection(agent.invoke('hello'))
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toMatch(/expected the function to give a string, got undefined; return request.systemPrompt/)
    expect(() => dynamicSystemPrompt('You help.' as never)).toThrow(/expected a function \(request\) => string, got/)
  })
})
