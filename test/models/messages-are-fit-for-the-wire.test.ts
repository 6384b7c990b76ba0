import { describe, expect, it } from 'vitest'
import type { Message, Part } from '../../src/messages.js'
import type { ModelCall, ModelProfile } from '../../src/models/model.js'
import { toChatMessages } from '../../src/models/wire.js'
import { wireNames } from '../../src/models/wire-names.js'
import { modelCall } from './call.js'

function wire(messages: readonly Message[], profile: ModelProfile = {}, given: Partial<ModelCall> = {}) {
  const before = structuredClone(messages)
  const call = modelCall({ messages, ...given })
  const result = toChatMessages(call, profile, wireNames(call.tools, messages))
  expect(messages).toEqual(before)
  return result
}

const user = { role: 'user', content: 'q' } as const
const called = (args: string, extra: Record<string, unknown> = {}): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: args }, ...extra }],
})
const result = (content: string | Part[], id = 'c1'): Message => ({ role: 'tool', tool_call_id: id, content })
const text = (value: string): Part => ({ type: 'text', text: value })
const IMAGE: Part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }

describe('the messages of a request', () => {
  it('case 13: one leading system message, merged in order, unless the profile allows more', () => {
    const list: Message[] = [
      { role: 'system', content: 'B' },
      user,
      { role: 'system', content: [text('sum'), text('mary')] },
    ]
    expect(wire(list, {}, { systemPrompt: 'A' })).toEqual([{ role: 'system', content: 'A\n\nB\n\nsum\n\nmary' }, user])
    expect(wire(list, { systemAnywhere: true }, { systemPrompt: 'A' })).toEqual([
      { role: 'system', content: 'A' },
      { role: 'system', content: 'B' },
      user,
      { role: 'system', content: [text('sum'), text('mary')] },
    ])
    expect(wire([user])).toEqual([user])
    expect(wire([{ role: 'system', content: ' ' }, user], {}, { systemPrompt: '' })).toEqual([user])
    const marked: Part = { type: 'text', text: 'long', cache_control: { type: 'ephemeral' } }
    expect(wire([{ role: 'system', content: [marked] }], {}, { systemPrompt: 'A' })[0]?.content).toEqual([
      text('A'),
      marked,
    ])
  })

  it('case 28: arguments are one level of JSON of an object', () => {
    const sent = (args: unknown) => {
      const message = called('')
      if (message.role === 'assistant') Object.assign(message.tool_calls![0]!.function, { arguments: args })
      return (wire([user, message])[1]!.tool_calls as { function: { arguments: string } }[])[0]?.function.arguments
    }
    expect([sent('{"n":2}'), sent({ n: 2 }), sent('"{\\"n\\":2}"'), sent(' {"n":2} ')]).toEqual([
      '{"n":2}',
      '{"n":2}',
      '{"n":2}',
      ' {"n":2} ',
    ])
    for (const none of ['', '  ', undefined, null, '{"cut', '"text"', '[1]', 'null', '7']) expect(sent(none)).toBe('{}')
    expect(sent('{"a":"\\ud83d"}')).toBe('{"a":"\uFFFD"}')
    expect(sent('{"a":"\\ud83d\\ude00"}')).toBe('{"a":"😀"}')
  })

  it('case 54: parts that are no text follow in one user message behind the last result', () => {
    const batch: Message = {
      role: 'assistant',
      content: null,
      tool_calls: ['c1', 'c2'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    }
    const list = [user, batch, result([text('one'), IMAGE, text('two')]), result([IMAGE], 'c2')]
    const right = [
      { role: 'tool', tool_call_id: 'c1', content: 'one\n\ntwo' },
      { role: 'tool', tool_call_id: 'c2', content: '(no output)' },
      { role: 'user', content: [IMAGE, IMAGE] },
    ]
    expect(wire(list).slice(2)).toEqual(right)
    expect(wire([...list, user]).slice(2)).toEqual([...right, user])
  })

  it('case 97: reasoning goes back as the profile says, and stays in the state', () => {
    const thought: Message = { ...called('{}'), reasoning: 'r' } as Message
    const plain: Message = { role: 'assistant', content: 'a', reasoning_content: 'other' }
    const silent: Message = { role: 'assistant', content: 'b' }
    const list = [user, thought, result('x'), plain, user, silent]
    const field = (profile: ModelProfile, name = 'reasoning_content') =>
      wire(list, profile)
        .filter((one) => one.role === 'assistant')
        .map((one) => one[name])
    expect(field({})).toEqual([undefined, undefined, undefined])
    expect(field({}, 'reasoning')).toEqual([undefined, undefined, undefined])
    expect(field({ reasoningReplay: 'tool-turns' })).toEqual(['r', undefined, undefined])
    expect(field({ reasoningReplay: 'always', reasoningField: 'reasoning' }, 'reasoning')).toEqual(['r', 'other', ''])
    expect(wire([called('{}')], { reasoningReplay: 'tool-turns' })[0]?.reasoning_content).toBe('')
  })

  it('case 112: no empty text, and never a missing tool message', () => {
    for (const empty of ['', ' \n', [], [text('')]] as (string | Part[])[]) {
      expect(wire([user, called('{}'), result(empty)])[2]).toEqual({
        role: 'tool',
        tool_call_id: 'c1',
        content: '(no output)',
      })
      expect(wire([{ role: 'user', content: empty }])).toEqual([{ role: 'user', content: '(empty)' }])
    }
    const thoughtOnly: Message = { role: 'assistant', content: '', reasoning: 'hm' }
    expect(wire([user, thoughtOnly, user])).toEqual([user, { role: 'assistant', content: '(empty)' }, user])
    expect(wire([{ role: 'user', content: [text(''), IMAGE, text('x')] }])[0]?.content).toEqual([IMAGE, text('x')])
    expect(wire([{ role: 'assistant', content: '', refusal: 'no' }])[0]).toEqual({ role: 'assistant', content: 'no' })
  })

  it('case 113: no empty list of calls', () => {
    expect(wire([{ role: 'assistant', content: 'a', tool_calls: [] }])).toEqual([{ role: 'assistant', content: 'a' }])
    const nulled = { role: 'assistant', content: 'a', tool_calls: null } as unknown as Message
    expect(wire([nulled])).toEqual([{ role: 'assistant', content: 'a' }])
  })

  it('case 114: without text, null beside calls or what the profile says, and a string otherwise', () => {
    for (const content of ['', null, []] as ('' | null | [])[]) {
      const message = { ...called('{}'), content } as Message
      expect(wire([message])[0]?.content).toBeNull()
      expect(wire([message], { emptyContent: 'empty' })[0]?.content).toBe('')
      expect('content' in (wire([message], { emptyContent: 'absent' })[0] ?? {})).toBe(false)
      expect(typeof wire([{ role: 'assistant', content }])[0]?.content).toBe('string')
    }
  })

  it('strips own fields and keeps those of the provider, unless it refuses them', () => {
    const list: Message[] = [
      { ...user, id: 'u', metadata: {}, name: 'ann' },
      {
        ...called('{}', { extra_content: { google: { thought_signature: 's' } } }),
        id: 'm',
        metadata: { a: 1 },
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
        response_items: [],
        annotations: null,
      } as Message,
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: 'x',
        id: 't',
        name: 'f',
        status: 'error',
        artifact: { big: 1 },
        metadata: {},
      },
    ]
    const fn = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
    expect(wire(list)).toEqual([
      { ...user, name: 'ann' },
      {
        role: 'assistant',
        content: null,
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
        tool_calls: [{ ...fn, extra_content: { google: { thought_signature: 's' } } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ])
    const strict = wire(list, { extras: 'drop', messageNames: false })
    expect(strict[0]).toEqual(user)
    expect(strict[1]).toEqual({ role: 'assistant', content: null, tool_calls: [fn] })
  })

  it('maps ids that a provider refuses, the same for call and result', () => {
    const list = [user, called('{}'), result('x')]
    const ids = (profile: ModelProfile) => {
      const sent = wire(list, profile)
      return [(sent[1]!.tool_calls as { id: string }[])[0]?.id, sent[2]?.tool_call_id]
    }
    expect(ids({})).toEqual(['c1', 'c1'])
    expect(ids({ callIds: 'portable' })).toEqual(['c1', 'c1'])
    const [call, answer] = ids({ callIds: 'alnum9' })
    expect(call).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(answer).toBe(call)
    expect(ids({ callIds: 'alnum9' })).toEqual([call, call])
  })

  it('says prefix on a last assistant message, and signs a call of another model, where that is needed', () => {
    expect(wire([user, { role: 'assistant', content: 'a' }], { prefixLast: true })[1]?.prefix).toBe(true)
    expect(wire([user], { prefixLast: true })[0]?.prefix).toBeUndefined()
    const extra = { google: { thought_signature: 'dummy' } }
    const sent = (message: Message) =>
      (wire([message], { firstCallExtra: extra })[0]!.tool_calls as { extra_content?: unknown }[])[0]?.extra_content
    expect(sent(called('{}'))).toEqual(extra)
    expect(sent(called('{}', { extra_content: { google: { thought_signature: 'real' } } }))).toEqual({
      google: { thought_signature: 'real' },
    })
  })

  it('sends well-formed Unicode only', () => {
    const sent = wire(
      [
        { role: 'user', content: 'a\ud800b😀' },
        { role: 'assistant', content: [text('\udc00')] },
        called('{"k":"\ud800"}'),
        result('\ud83d'),
      ],
      {},
      { systemPrompt: '\ud800' },
    )
    expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/)
    expect(sent[1]?.content).toBe('a\uFFFDb😀')
  })
})
