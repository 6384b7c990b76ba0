import { createAgent, createMiddleware, tool, wrapToolCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from '../run/checked.js'

const ask = tool(({ q }) => `asked ${q}`, {
  name: 'ask',
  description: 'Asks.',
  schema: z.object({ q: z.string() }),
  returnDirect: true,
})
const calc = tool(() => '42', { name: 'calc', description: 'Calculates.' })
const call = (...names: string[]) => ({ toolCalls: names.map((name) => toolCall(name, { q: 'x' })) })
const hook = createMiddleware({ name: 'hook', beforeModel: () => undefined })

describe('returnDirect', () => {
  it.each([
    ['an ordinary tool loops back', [call('calc'), 'text'], 'stop', 'text'],
    ['a direct tool ends the run', [call('ask')], 'returnDirect', 'asked x'],
    ['two direct calls end it with both', [call('ask', 'ask')], 'returnDirect', 'asked x\n\nasked x'],
    ['a mixed batch loops back', [call('calc', 'ask'), 'text'], 'stop', 'text'],
    ['a mixed batch loops back, in the other order', [call('ask', 'calc'), 'text'], 'stop', 'text'],
    ['an unknown tool beside it loops back', [call('ask', 'nope'), 'text'], 'stop', 'text'],
  ])('case 34: with a beforeModel hook, %s', async (_title, script, stopReason, output) => {
    const model = scriptedModel(script)
    const result = checked(await createAgent({ model, tools: [ask, calc], middleware: [hook] }).invoke('go'), model)
    model.done()
    expect(result).toMatchObject({ stopReason, output })
  })

  it.each([
    ['arguments that do not fit', { toolCalls: [toolCall('ask', {})] }],
    ['broken arguments', { toolCalls: [toolCall('ask', '{"q"')] }],
    ['one failure of two', { toolCalls: [toolCall('ask', { q: 'y' }), toolCall('ask', {})] }],
  ])('case 35: %s go back to the model, and the next success ends the run', async (_title, first) => {
    const model = scriptedModel([first, call('ask')])
    const result = checked(await createAgent({ model, tools: [ask] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'returnDirect', output: 'asked x' })
  })

  it('case 35: a throw goes back to the model as well, also when a layer makes an error result of it', async () => {
    let failed = false
    const flaky = tool(
      () => {
        if (failed) return 'fine'
        failed = true
        throw new Error('first time')
      },
      { name: 'flaky', description: 'F.', returnDirect: true },
    )
    const model = scriptedModel([call('flaky'), call('flaky')])
    const pass = wrapToolCall((request, handler) => handler(request))
    const result = checked(await createAgent({ model, tools: [flaky], middleware: [pass] }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'returnDirect', output: 'fine' })
  })

  it('case 36: maxTurns 1 is enough for direct calls alone', async () => {
    const model = scriptedModel([call('ask')])
    const result = checked(await createAgent({ model, tools: [ask], maxTurns: 1 }).invoke('go'), model)
    expect(result).toMatchObject({ stopReason: 'returnDirect', output: 'asked x' })
  })
})
