import { describe, expect, it } from 'vitest'
import { calls, DONE, delta, finish } from '../fixtures/sse.js'
import { callsIn, idsIn, shown, stream, unstreamed } from './play.js'

const fn = (name: string | null | undefined, args?: unknown) => ({ function: { name, arguments: args } })
const read = (events: readonly unknown[], tools?: readonly string[]) =>
  stream([...events, finish('tool_calls'), DONE], tools ? { tools } : {})

describe('tool-call deltas', () => {
  it.each([
    [
      'ids open calls, the rest continues',
      [calls({ id: 'a', ...fn('f', '{"x":') }), calls(fn(undefined, '1}')), calls({ id: 'b', ...fn('g', '{}') })],
    ],
    [
      'arguments before the name',
      [calls({ id: 'a', ...fn(null, '{"x":') }), calls(fn('f', '1}')), calls({ id: 'b', ...fn('g', '{}') })],
    ],
    ['two whole calls in one delta', [calls({ id: 'a', ...fn('f', '{"x":1}') }, { id: 'b', ...fn('g', '{}') })]],
    ['two whole calls in one delta, no ids', [calls(fn('f', '{"x":1}'), fn('g', '{}'))]],
    [
      'a name behind complete arguments, no ids',
      [calls(fn('f', '{"x"')), calls(fn(null, ':1}')), calls(fn('g', '{}'))],
    ],
    [
      'the id in each delta',
      [
        calls({ id: 'a', ...fn('f', '{"x"') }),
        calls({ id: 'a', ...fn('', ':1}') }),
        calls({ id: 'b', ...fn('g', '') }),
      ],
    ],
    [
      'the id late',
      [calls(fn('f', '')), calls({ id: 'a', ...fn('', '{"x":1}') }), calls({ id: 'b', ...fn('g', '{}') })],
    ],
    ['two names without arguments', [calls({ id: 'a', ...fn('f', '{"x":1}') }), calls(fn('g'))]],
  ])('case 84: without an index: %s', async (_title, events) => {
    const reply = await read(events)
    expect(callsIn(reply)).toEqual(['f({"x":1})', 'g({})'])
    expect(new Set(idsIn(reply)).size).toBe(2)
  })

  it('case 85: all calls carry index 0 but different ids', async () => {
    const at0 = (id: string, args: string) => ({ index: 0, id, ...fn('f', args) })
    expect(callsIn(await read([calls(at0('a', '{"k":1}')), calls(at0('b', '{"k":2}'))]))).toEqual([
      'f({"k":1})',
      'f({"k":2})',
    ])
    const pieces = [
      calls(at0('a', '{"k"')),
      calls({ index: 0, ...fn('', ':1}') }),
      calls(at0('b', '{"k"')),
      calls({ index: 0, ...fn('', ':2}') }),
    ]
    expect(callsIn(await read(pieces))).toEqual(['f({"k":1})', 'f({"k":2})'])
    const mixed = ['a', 'b', 'a', 'b'].map((id, index) =>
      calls({ index: 0, id, ...fn('f', index < 2 ? '{"k"' : `:${index - 1}}`) }),
    )
    expect(callsIn(await read(mixed))).toEqual(['f({"k":1})', 'f({"k":2})'])
    const noIds = [calls({ index: 0, ...fn('f', '{"k":1}') }), calls({ index: 0, ...fn('f', '{"k":2}') })]
    expect(callsIn(await read(noIds))).toEqual(['f({"k":1})', 'f({"k":2})'])
  })

  it('case 86: interleaved deltas, ids only on the first, gaps, and an index out of order', async () => {
    const start = (index: number, name: string) => calls({ index, id: `c${index}`, ...fn(name, '') })
    const more = (index: number, args: string) => calls({ index, ...fn(undefined, args) })
    const events = [start(0, 'f'), start(1, 'g'), more(0, '{"a"'), more(1, '{"b":'), more(0, ':1}'), more(1, '2}')]
    expect(callsIn(await read(events))).toEqual(['f({"a":1})', 'g({"b":2})'])
    const gap = await read([start(0, 'f'), start(2, 'g'), more(2, '{}'), more(0, '{}')])
    expect(callsIn(gap)).toEqual(['f({})', 'g({})'])
    expect(gap.message.tool_calls).toHaveLength(2)
    expect(callsIn(await read([start(1, 'g'), start(0, 'f')]))).toEqual(['f({})', 'g({})'])
  })

  it.each([
    ['in pieces', ['mk_fol', 'der'], ['mk_folder'], 'mk_folder'],
    ['sent three times', ['copy', 'copy', 'copy'], ['copy'], 'copy'],
    ['two equal pieces', ['a', 'a'], ['aa'], 'aa'],
    ['both readings are tools: the repeated one', ['a', 'a'], ['a', 'aa'], 'a'],
    ['neither is a tool, equal: the repeated one', ['zz', 'zz'], ['f'], 'zz'],
    ['neither is a tool, different: joined', ['z', 'y'], ['f'], 'zy'],
    ['the name so far each time', ['mk', 'mk_folder'], ['mk_folder'], 'mk_folder'],
  ])('case 87: a name %s', async (_title, pieces, tools, right) => {
    const events = pieces.map((name, index) =>
      calls({ index: 0, ...(index === 0 ? { id: 'a' } : {}), ...fn(name, index === pieces.length - 1 ? '{}' : '') }),
    )
    expect(callsIn(await read(events, tools))).toEqual([`${right}({})`])
  })

  it('case 88: text, reasoning and the first call do not share an index', async () => {
    const reply = await read([
      delta({ reasoning_content: 'why' }),
      delta({ content: 'on it', tool_calls: [{ index: 0, id: 'a', ...fn('f', '{"x"') }] }),
      calls({ index: 0, ...fn(undefined, ':1}') }),
    ])
    expect(reply.message).toMatchObject({ content: 'on it', reasoning: 'why' })
    expect(callsIn(reply)).toEqual(['f({"x":1})'])
    expect(reply.deltas.map((shownDelta) => shownDelta.type)).toEqual(['reasoning', 'text', 'tool-args', 'tool-args'])
  })

  it('case 21: an id that comes twice is made unique', async () => {
    const twice = [
      { id: 'd', ...fn('f', '{}') },
      { id: 'd', ...fn('g', '{}') },
    ]
    const indexed = twice.map((entry, index) => ({ index, ...entry }))
    for (const reply of [
      await read([calls(...twice)]),
      await read([calls(...indexed)]),
      await unstreamed({ content: null, tool_calls: twice }),
    ]) {
      expect(callsIn(reply)).toEqual(['f({})', 'g({})'])
      expect(idsIn(reply)[0]).toBe('d')
      expect(new Set(idsIn(reply)).size).toBe(2)
    }
  })

  it('case 22: missing, null or empty ids are made up, and the same in deltas and message', async () => {
    for (const id of [undefined, null, '']) {
      const two = [
        { id, ...fn('f', '{"x":1}') },
        { id, ...fn('f', '{"x":2}') },
      ]
      const whole = await unstreamed({ content: '', tool_calls: two })
      const reply = await read([calls({ index: 0, ...two[0] }), calls({ index: 1, ...two[1] })])
      for (const ids of [idsIn(whole), idsIn(reply)]) {
        expect(new Set(ids).size).toBe(2)
        for (const made of ids) expect(made).toMatch(/^call_[0-9a-f]{24}$/)
      }
      expect(reply.deltas.map((one) => (one.type === 'tool-args' ? one.toolCallId : ''))).toEqual(idsIn(reply))
      expect(shown(reply.deltas, 'tool-args')).toBe('{"x":1}{"x":2}')
    }
  })

  it('case 22: a call of nothing is dropped, one without a name is kept as such', async () => {
    expect((await read([calls({ index: 0, id: '', ...fn('', '') }), delta({ content: 'hi' })])).message).toEqual({
      role: 'assistant',
      content: 'hi',
    })
    expect(callsIn(await read([calls({ index: 0, id: '', ...fn('', '{"x":1}') })]))).toEqual(['({"x":1})'])
  })

  it('case 28: arguments as an object, and encoded twice', async () => {
    for (const args of [{ n: 2 }, '{"n":2}', '"{\\"n\\":2}"']) {
      expect(callsIn(await unstreamed({ content: null, tool_calls: [{ id: 'a', ...fn('f', args) }] }))).toEqual([
        'f({"n":2})',
      ])
      expect(callsIn(await read([calls({ index: 0, id: 'a', ...fn('f', args) })]))).toEqual(['f({"n":2})'])
    }
    const text = '"just text"'
    expect(callsIn(await unstreamed({ content: null, tool_calls: [{ id: 'a', ...fn('f', text) }] }))).toEqual([
      `f(${text})`,
    ])
  })

  it('keeps cut arguments as they are: nothing is repaired', async () => {
    expect(
      callsIn(await stream([calls({ index: 0, id: 'a', ...fn('f', '{"x":[1,') }), finish('length'), DONE])),
    ).toEqual(['f({"x":[1,)'])
  })

  it('takes a call that is sent whole once more only once', async () => {
    const whole = { index: 0, id: 'a', ...fn('f', '{"x":1}') }
    expect(
      callsIn(
        await read([
          calls({ index: 0, id: 'a', ...fn('f', '{"x"') }),
          calls({ index: 0, ...fn(null, ':1}') }),
          calls(whole),
        ]),
      ),
    ).toEqual(['f({"x":1})'])
    expect(
      callsIn(await read([calls({ id: 'a', ...fn('f', '{"x":1}') }), calls({ id: 'a', ...fn('f', '{"x":1}') })])),
    ).toEqual(['f({"x":1})'])
  })

  it('reads the older form, function_call', async () => {
    const events = [
      delta({ function_call: { name: 'f', arguments: '{"x"' } }),
      delta({ function_call: { arguments: ':1}' } }),
    ]
    expect(callsIn(await stream([...events, finish('function_call'), DONE]))).toEqual(['f({"x":1})'])
    expect(
      callsIn(await unstreamed({ content: null, function_call: { name: 'f', arguments: '{"x":1}' } }, 'function_call')),
    ).toEqual(['f({"x":1})'])
  })

  it('is not fooled by keys of a prototype', async () => {
    const text = `data: {"choices":[{"index":0,"delta":{"__proto__":{"polluted":1},"tool_calls":[{"index":0,"id":"a","__proto__":{"x":1},"function":{"name":"f","arguments":"{}"}}]}}]}\n\n`
    const { message } = await stream(`${text}data: [DONE]\n\n`)
    expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(message.tool_calls?.[0])).toBe(Object.prototype)
    expect('polluted' in message).toBe(false)
  })
})
