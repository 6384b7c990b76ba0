import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/messages.js'
import { openaiChat } from '../../src/models/openai-chat.js'
import { wireNames } from '../../src/models/wire-names.js'
import { bodyOf, DONE, finish, sse } from '../fixtures/sse.js'
import { listening, modelCall, tool } from './call.js'

const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/
const named = (names: readonly string[]) => names.map((name) => tool(name))
const history = (names: readonly string[]): Message[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: names.map((name, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: '{}' },
    })),
  },
]

describe('wire names', () => {
  it('case 20: are legal, distinct, map back, and do not depend on the order', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 80, unit: 'binary' }),
      fc.constantFrom(
        'a.b',
        'a b',
        'a_b',
        'a/b',
        '',
        'été',
        '3d',
        'unnamed',
        `${'n'.repeat(64)}x`,
        `${'n'.repeat(64)}y`,
        '__proto__',
        'constructor',
      ),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), fc.uniqueArray(name, { maxLength: 6 }), (tools, past) => {
        const all = [...new Set([...tools, ...past])]
        const names = wireNames(named(tools), history(past))
        const sent = all.map(names.toWire)
        for (const wireName of sent) expect(wireName).toMatch(LEGAL)
        expect(new Set(sent).size).toBe(all.length)
        expect(sent.map(names.fromWire)).toEqual(all)
        for (const one of tools) expect(names.isOffered(names.toWire(one))).toBe(true)
        expect(all.map(wireNames(named([...tools].reverse()), history([...past].reverse())).toWire)).toEqual(sent)
        for (const one of all) if (LEGAL.test(one)) expect(names.toWire(one)).toBe(one)
      }),
    )
  })

  it('case 20: read well where nothing clashes', () => {
    const { toWire } = wireNames(named(['calendar.create', 'a b', 'x/y', 'été', '3d']), [])
    expect(['calendar.create', 'a b', 'x/y', 'été', '3d'].map(toWire)).toEqual([
      'calendar_create',
      'a_b',
      'x_y',
      'ete',
      '_3d',
    ])
  })

  it('cases 18, 20: go out in tools, history and tool choice, and come back as the original', async () => {
    const bodies: {
      tools: { function: { name: string } }[]
      tool_choice: unknown
      messages: { tool_calls?: { function: { name: string } }[] }[]
    }[] = []
    const streamed = sse([
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: 'c9', function: { name: 'calendar_create', arguments: '{}' } }] },
          },
        ],
      },
      finish('tool_calls'),
      DONE,
    ])
    const whole = {
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: 'c9', function: { name: 'calendar_create', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    }
    const model = openaiChat({
      model: 'm',
      baseURL: 'http://127.0.0.1:1/v1',
      fetch: async (_url, init) => {
        const body = JSON.parse(String(init?.body))
        bodies.push(body)
        return body.stream
          ? new Response(bodyOf([streamed]), { headers: { 'content-type': 'text/event-stream' } })
          : Response.json(whole)
      },
    })
    const given = {
      messages: [
        { role: 'user' as const, content: 'q' },
        ...history(['gone.tool', 'calendar.create']),
        ...['c0', 'c1'].map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' })),
      ],
      tools: named(['calendar.create']),
      toolChoice: { name: 'calendar.create' },
    }
    const { call, deltas } = listening(given)
    for (const reply of [await model.generate(call), await model.generate(modelCall(given))]) {
      expect(reply.message.tool_calls?.[0]?.function.name).toBe('calendar.create')
    }
    expect(deltas).toEqual([{ type: 'tool-args', toolCallId: 'c9', name: 'calendar.create', text: '{}' }])
    for (const body of bodies) {
      expect(body.tools.map((one) => one.function.name)).toEqual(['calendar_create'])
      expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'calendar_create' } })
      expect(body.messages[1]?.tool_calls?.map((one) => one.function.name)).toEqual(['gone_tool', 'calendar_create'])
    }
  })
})
