import { createAgent, createMiddleware, type ModelProfile, tool, wrapModelCall } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { type ScriptedReply, scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, readAll, rejection } from '../run/checked.js'

const schema = z.object({ n: z.number(), note: z.string().optional() })
const native: ModelProfile = { nativeStructuredOutput: true }
const answer = (args: unknown): ScriptedReply => ({ toolCalls: [toolCall('final_answer', args)] })
const STRATEGIES = { native, tool: {} } as const
const strategies = Object.entries(STRATEGIES)
const modelOf = (profile: ModelProfile, script: ScriptedReply[]) => scriptedModel(script, { profile })

const FENCE = '```'
const RECOVERED: Record<string, string> = {
  'plain JSON': '{"n":1}',
  'fenced JSON': `${FENCE}json\n{"n":1}\n${FENCE}`,
  'JSON in prose': 'Here: {"n":1} ok?',
  'JSON and trailing text': '{"n":1}\nAnything else?',
  'two fences, the second fits': `${FENCE}json\n{"x":0}\n${FENCE} or ${FENCE}json\n{"n":1}\n${FENCE}`,
  'braces in prose before it': 'As {you} asked: {"n":1}',
}

describe.each(strategies)('case 109, %s strategy', (_name, profile) => {
  it.each(Object.entries(RECOVERED))('%s in the text is recovered', async (_title, text) => {
    const model = modelOf(profile, [text])
    const { events, result } = await readAll(createAgent({ model, responseFormat: schema }).stream('go'))
    checked(result, model)
    expect(result).toMatchObject({ structured: { n: 1 }, stopReason: 'stop' })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', stopReason: 'stop' })
  })

  it('a fence inside a value is part of the value', async () => {
    const value = { n: 1, note: `${FENCE}js\n{"n":2}\n${FENCE}` }
    const model = modelOf(profile, [JSON.stringify(value)])
    expect(checked(await createAgent({ model, responseFormat: schema }).invoke('go'), model).structured).toEqual(value)
  })

  it.each([
    ['a value that does not fit', '{"n":"x"}'],
    ['nothing', ''],
    ['prose', 'I cannot.'],
    ['cut JSON', '{"n":1'],
  ])('%s is asked again once, then it is a ModelError with the raw text', async (_title, text) => {
    const good = modelOf(profile, [text, '{"n":1}'])
    const result = checked(await createAgent({ model: good, responseFormat: schema }).invoke('go'), good)
    expect(result.structured).toEqual({ n: 1 })
    const bad = modelOf(profile, [text, text])
    const error = await rejection(createAgent({ model: bad, responseFormat: schema }).invoke('go'))
    expect(error).toMatchObject({ code: 'STRUCTURED_OUTPUT', text })
    expect(bad.calls).toHaveLength(2)
  })

  it.each([0, 3])('repairs: %i is how often', async (repairs) => {
    const model = modelOf(
      profile,
      Array.from({ length: 5 }, () => '{}'),
    )
    const agent = createAgent({ model, responseFormat: { schema, repairs } })
    expect(await rejection(agent.invoke('go'))).toMatchObject({ code: 'STRUCTURED_OUTPUT' })
    expect(model.calls).toHaveLength(repairs + 1)
  })
})

describe('the tool strategy', () => {
  it('takes the arguments of final_answer, and every call of the reply is answered', async () => {
    const search = tool(() => 'found', { name: 'search', description: 'S.' })
    const both = { toolCalls: [toolCall('search'), toolCall('final_answer', { n: 'x' })] }
    const model = scriptedModel([both, answer({ n: 2 })])
    const result = checked(await createAgent({ model, tools: [search], responseFormat: schema }).invoke('go'), model)
    expect(result.structured).toEqual({ n: 2 })
    expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: 'found', status: 'success' },
      { status: 'error', content: expect.stringContaining('n') },
      { status: 'success' },
    ])
    expect(model.calls[0]?.tools.map(({ name }) => name)).toEqual(['search', 'final_answer'])
    expect(model.calls[1]?.toolChoice).toEqual({ name: 'final_answer' })
  })

  it('leaves a valid thread behind when the answer never fits', async () => {
    const checkpointer = memoryCheckpointer()
    const model = scriptedModel([answer({}), answer({})])
    const agent = createAgent({ model, responseFormat: schema, checkpointer })
    expect(await rejection(agent.invoke('go', { threadId: 'T' }))).toMatchObject({ text: '{}' })
    const next = scriptedModel(['fine'])
    const after = await createAgent({ model: next, checkpointer }).invoke('more', { threadId: 'T' })
    expect(checked(after, next).messages.length).toBeGreaterThan(5)
  })

  it('does not offer the answer to tool layers', async () => {
    const seen: string[] = []
    const layer = createMiddleware({
      name: 'layer',
      wrapToolCall: (request, handler) => {
        seen.push(request.toolCall.name)
        return handler()
      },
    })
    const model = scriptedModel([answer({ n: 1 })])
    const agent = createAgent({ model, responseFormat: schema, middleware: [layer] })
    expect(checked(await agent.invoke('go'), model)).toMatchObject({ structured: { n: 1 }, usage: { requests: 1 } })
    expect(seen).toEqual([])
  })
})

describe('case 110: the strategy is chosen per effective model', () => {
  it('auto is native where the model has it, else the tool', async () => {
    for (const [profile, outputFormat, tools] of [
      [native, true, 0],
      [{}, false, 1],
    ] as const) {
      const model = modelOf(profile, ['{"n":1}'])
      checked(await createAgent({ model, responseFormat: schema }).invoke('go'), model)
      expect(model.calls[0]?.outputFormat !== undefined).toBe(outputFormat)
      expect(model.calls[0]?.tools).toHaveLength(tools)
    }
  })

  it('a layer that swaps the model has the format follow', async () => {
    const plain = scriptedModel([answer({ n: 1 })])
    const swap = wrapModelCall((request, handler) => handler(request.override({ model: plain })))
    const agent = createAgent({ model: modelOf(native, []), responseFormat: schema, middleware: [swap] })
    expect(checked(await agent.invoke('go'), plain).structured).toEqual({ n: 1 })
    expect(plain.calls[0]).toMatchObject({ outputFormat: undefined, tools: [{ name: 'final_answer' }] })
  })

  it('native on a model without it is a ConfigError that names the model', async () => {
    const agent = createAgent({ model: scriptedModel([]), responseFormat: { schema, strategy: 'native' } })
    expect(await rejection(agent.invoke('go'))).toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('scripted:scripted'),
    })
  })

  it("'tool' is the tool, also where the model has a native form", async () => {
    const model = modelOf(native, [answer({ n: 1 })])
    const agent = createAgent({ model, responseFormat: { schema, strategy: 'tool' } })
    expect(checked(await agent.invoke('go'), model).structured).toEqual({ n: 1 })
    expect(model.calls[0]?.outputFormat).toBeUndefined()
  })

  it('a run that does not end with stop has no value', async () => {
    for (const finishReason of ['length', 'refusal'] as const) {
      const model = modelOf(native, [{ text: 'no', finishReason }])
      const result = checked(await createAgent({ model, responseFormat: schema }).invoke('go'), model)
      expect(result).toMatchObject({ structured: undefined, stopReason: finishReason })
    }
  })
})
