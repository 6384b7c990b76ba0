import { createAgent, createMiddleware, field, providerTool, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rejection } from './checked.js'

const model = () => scriptedModel(() => 'text')
const config = (message: RegExp) => expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(message) })
const loose = (value: unknown): never => value as never
const WRONG: unknown[] = [null, 0, true, 'text', [], {}, () => {}, Symbol('s')]

/** Values that fit each option of an agent; all the others of WRONG do not. */
const AGENT: Record<string, unknown[]> = {
  model: ['text'],
  name: ['text'],
  tools: [[]],
  middleware: [[]],
  systemPrompt: ['text'],
  toolChoice: [],
  settings: [{}],
  checkpointer: [],
  store: [],
  maxTurns: [],
  toolConcurrency: [],
  toolErrors: [WRONG[6]],
  onConflict: [],
  stateSchema: [{}],
  contextSchema: [{}],
  responseFormat: [{}],
}

describe('createAgent()', () => {
  for (const [option, fits] of Object.entries(AGENT)) {
    it(`refuses every ${option} that does not fit, saying what it expected and got`, () => {
      for (const value of WRONG) {
        const isFit = fits.some((fit) => JSON.stringify(fit) === JSON.stringify(value) && typeof fit === typeof value)
        if (isFit) continue
        const build = () => createAgent(loose({ model: model(), [option]: value }))
        expect(build, `${option}: ${String(value)}`).toThrow(config(/expected .*got |expected|unknown/))
        expect(build).toThrow(config(new RegExp(option)))
      }
    })
  }

  it.each([
    ['no options', undefined, /createAgent\(\).*got undefined/],
    ['no model', {}, /expected model .*got undefined/],
    ['an unknown option', { model: model(), tool: [] }, /unknown option "tool"; did you mean tools\?/],
    ['a tool of another make', { model: model(), tools: [{ name: 'x' }] }, /tools\[0\].*tool\(\).*got/],
    ['an empty name', { model: model(), name: '' }, /name .*got ""/],
    ['half a turn', { model: model(), maxTurns: 1.5 }, /maxTurns .*got 1.5/],
    ['no turn', { model: model(), maxTurns: 0 }, /maxTurns .*got 0/],
    ['two tools of one name', { model: model(), tools: [echo('a'), echo('a')] }, /"a".*the agent.*the agent/],
    [
      'a tool name that a middleware has as well',
      { model: model(), tools: [echo('a')], middleware: [createMiddleware({ name: 'm', tools: [echo('a')] })] },
      /"a".*the agent.*middleware "m"/,
    ],
    ['messages as a field', { model: model(), stateSchema: { messages: z.array(z.string()) } }, /"messages"/],
    ['a date as settings', { model: model(), settings: new Date() }, /settings to be an object, got a Date/],
    ['settings not awaited', { model: model(), settings: Promise.resolve({}) }, /a Promise; await it/],
    ['a list as stateSchema', { model: model(), stateSchema: [] }, /stateSchema to be a record .*got an array/],
    ['a date as stateSchema', { model: model(), stateSchema: new Date() }, /stateSchema to be a record .*got a Date/],
    ['a stateSchema not awaited', { model: model(), stateSchema: Promise.resolve({}) }, /stateSchema.*await it/],
    ['a field that is no schema', { model: model(), stateSchema: { n: 1 } }, /"n".*got 1/],
    [
      'a field that two declare differently',
      {
        model: model(),
        stateSchema: { n: z.number() },
        middleware: [createMiddleware({ name: 'm', stateSchema: { n: z.string() } })],
      },
      /"n".*the agent.*middleware "m"/,
    ],
  ])('refuses %s', (_title, options, message) => {
    expect(() => createAgent(loose(options))).toThrow(config(message))
  })
})

const echo = (name: string) => tool(() => 'x', { name, description: 'E.' })

describe('createMiddleware()', () => {
  it.each([
    [undefined, /createMiddleware\(\).*got undefined/],
    [{}, /name/],
    [{ name: '' }, /name .*got ""/],
    [{ name: 'm', wrapModelCall: 'x' }, /"m".*wrapModelCall .*function, got "x"/],
    [{ name: 'm', beforeModel: {} }, /"m".*beforeModel/],
    [{ name: 'm', beforemodel: () => {} }, /did you mean "beforeModel"/],
    [{ name: 'm', wrapToolcall: () => {} }, /did you mean "wrapToolCall"/],
    [{ name: 'm', onError: () => {} }, /unknown hook "onError"/],
    [{ name: 'm', tools: 'x' }, /"m".*tools .*got "x"/],
    [{ name: 'm', before: 3 }, /"m": expected before to be a name or an array of names, got 3/],
    [{ name: 'm', after: ['a', 3] }, /"m": expected after to be a name .*got an array of 2/],
  ])('refuses %j', (definition, message) => {
    expect(() => createMiddleware(loose(definition))).toThrow(config(message))
  })

  it.each([1, 'text', null, {}, { wrapRun: () => {} }])(
    'a list of middleware refuses %j, with its position',
    (value) => {
      expect(() => createAgent(loose({ model: model(), middleware: [value] }))).toThrow(config(/middleware\[0\]/))
    },
  )
})

describe('tool(), field(), providerTool()', () => {
  const base = { name: 't', description: 'T.' }
  it.each([
    [() => tool(() => 1, loose(undefined)), /options/],
    [() => tool(() => 1, { description: 'x' }), /name/],
    [() => tool(() => 1, loose({ name: 't' })), /description/],
    [() => tool(loose({ ...base, execute: 'x' })), /execute .*got "x"/],
    [() => tool(() => 1, loose({ ...base, returnDirekt: true })), /unknown option "returnDirekt"/],
    [() => tool(() => 1, loose({ ...base, returnDirect: 'yes' })), /returnDirect .*got "yes"/],
    [() => tool(() => 1, loose({ ...base, timeoutMs: -1 })), /timeoutMs .*got -1/],
    [() => tool(() => 1, loose({ ...base, retry: 'always' })), /retry .*got "always"/],
    [() => tool(() => 1, loose({ ...base, inject: { a: 1 } })), /inject/],
    [() => tool(() => 1, loose({ ...base, schema: 'x' })), /"t"/],
    [() => tool(() => 1, loose({ ...base, schema: z.string() })), /"t".*object/],
    [() => field(loose('x')), /schema .*got "x"/],
    [() => field(z.number(), loose({ reduce: () => 1 })), /unknown option "reduce"/],
    [() => field(z.number(), loose({ reducer: 1 })), /reducer .*got 1/],
    [() => providerTool(loose({})), /type/],
  ])('%s', (build, message) => {
    expect(build).toThrow(config(message))
  })
})

describe('a run', () => {
  const agent = () => createAgent({ model: model(), stateSchema: { n: z.number().default(0) } })
  it.each([
    [undefined, /input: expected .*got undefined/],
    [null, /got null/],
    [1, /got 1/],
    [new Date(0), /got a Date/],
    [[{ role: 'x' }], /input\[0\]|messages\[0\]|index 0/],
    [['text'], /input/],
    [{ messages: 5 }, /messages/],
    [{ m: 1 }, /unknown state field "m"; expected one of messages, n/],
    [{ n: 'x' }, /"n"/],
  ])('refuses the input %j', async (input, message) => {
    expect(await rejection(agent().invoke(loose(input)))).toEqual(config(message))
    const stream = agent().stream(loose(input))
    expect(await rejection(stream.result)).toEqual(config(message))
  })

  it.each([
    [{ thread: 'x' }, /unknown option "thread"; did you mean threadId\?/],
    [{ nope: 'x' }, /unknown option "nope"; expected one of threadId/],
    [{ threadId: 'x' }, /threadId needs .*checkpointer/],
    [{ signal: {} }, /signal .*AbortSignal/],
    [{ tools: [1] }, /tools\[0\]/],
    [{ tags: 'x' }, /tags/],
    [{ tags: [1] }, /tags/],
    [{ metadata: 'x' }, /metadata/],
    [{ maxTurns: -1 }, /maxTurns .*got -1/],
    [{ context: 'x' }, /context/],
    [{ context: Promise.resolve({}) }, /context to be an object, got a Promise; await it/],
    [{ context: new Date() }, /context to be an object, got a Date/],
    [{ context: [] }, /context to be an object, got an array/],
    [{ metadata: Promise.resolve({}) }, /metadata to be an object, got a Promise; await it/],
    [{ metadata: new Date() }, /metadata to be an object, got a Date/],
    [{ metadata: [] }, /metadata to be an object, got an array/],
    [{ onConflict: 'fight' }, /onConflict/],
    ['options', /options/],
  ])('refuses the options %j', async (options, message) => {
    const run = async () => agent().invoke('go', loose(options))
    expect(await rejection(run())).toEqual(config(message))
    expect(() => agent().stream('go', loose(options))).toThrow(config(message))
  })

  it.each([[z.string(), /context: does not fit .*expected string/]])(
    'refuses a context that is no object %#',
    async (contextSchema, message) => {
      const of = createAgent({ model: model(), contextSchema })
      expect(await rejection(of.invoke('go', loose({ context: {} })))).toEqual(config(message))
    },
  )

  it('refuses an empty threadId', async () => {
    const kept = createAgent({ model: model(), checkpointer: memoryCheckpointer() })
    expect(await rejection((async () => kept.invoke('go', { threadId: '' }))())).toEqual(config(/threadId .*got ""/))
  })
})
