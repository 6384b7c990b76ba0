import { createAgent, createMiddleware, type Message, tool, user } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checked, rejection } from './checked.js'

const add = tool(({ x }) => `got ${x}`, { name: 'add', description: 'Adds.', schema: z.object({ x: z.number() }) })
const script = () => scriptedModel([{ toolCalls: [toolCall('add', { x: 1 })] }, 'done'])

const EDITS: Record<string, Parameters<typeof createMiddleware>[0]> = {
  'a message pushed': {
    name: 'editor',
    wrapModelCall: (request, handler) => {
      ;(request.messages as Message[]).push(user('note'))
      return handler(request)
    },
  },
  'a message changed': {
    name: 'editor',
    wrapModelCall: (request, handler) => {
      ;(request.messages[0] as { content: string }).content = 'changed'
      return handler(request)
    },
  },
  'a tool changed': {
    name: 'editor',
    wrapModelCall: (request, handler) => {
      ;(request.tools[0] as { description: string }).description = 'Z'
      return handler(request)
    },
  },
  'a setting changed': {
    name: 'editor',
    wrapModelCall: (request, handler) => {
      ;(request.settings as { temperature: number }).temperature = 2
      return handler(request)
    },
  },
  'an argument changed': {
    name: 'editor',
    wrapToolCall: (request, handler) => {
      ;(request.toolCall.args as { x: number }).x = 2
      return handler(request)
    },
  },
  'the state changed in a hook': {
    name: 'editor',
    afterModel: (state) => {
      ;(state.messages as Message[]).pop()
    },
  },
}

describe('case 9: an edit in place', () => {
  it.each(Object.entries(EDITS))('%s throws in development, and reaches nothing', async (_title, editor) => {
    const middleware = [createMiddleware(editor)]
    const settings = { temperature: 1 }
    const model = script()
    const checkpointer = memoryCheckpointer()
    const agent = createAgent({ model, tools: [add], middleware, settings, checkpointer, toolErrors: 'throw' })
    const error = await rejection(agent.invoke('go', { threadId: 'T' }))
    expect(error).toBeInstanceOf(TypeError)
    const after = script()
    const plain = createAgent({ model: after, tools: [add], settings, checkpointer })
    const result = checked(await plain.invoke('go', { threadId: 'T' }), after)
    expect(after.calls[0]?.messages[0]).toMatchObject({ content: 'go' })
    expect(after.calls[0]?.tools[0]?.description).toBe('Adds.')
    expect(after.calls[0]?.settings).toEqual({ temperature: 1 })
    expect(result.messages.at(-2)).toMatchObject({ content: 'got 1' })
  })

  it('is not needed: what is passed to the handler applies, for that call alone', async () => {
    const editor = createMiddleware({
      name: 'editor',
      wrapModelCall: (request, handler) =>
        handler(request.override({ messages: [...request.messages, user('note')], systemPrompt: 'S' })),
      wrapToolCall: (request, handler) => handler(request.override({ args: { x: 2 } })),
    })
    const model = script()
    const result = checked(await createAgent({ model, tools: [add], middleware: [editor] }).invoke('go'), model)
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([2, 4])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(result.messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"x":1}' } }] })
    expect(result.messages[2]).toMatchObject({ content: 'got 2' })
  })
})
