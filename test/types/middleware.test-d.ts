import {
  command,
  compose,
  createAgent,
  createMiddleware,
  deny,
  field,
  type KindOf,
  type Message,
  type Middleware,
  reply,
  tool,
  withUpdate,
  wrapModelCall,
} from 'cepa'
import { unless, when } from 'cepa/middleware'
import * as z from 'zod'
import type { Equal, Expect } from './equal.js'

// Each of ten declares a field and a part of the context; the agent has all of them.
const m0 = createMiddleware({
  name: 'm0',
  stateSchema: { s0: z.number().default(0) },
  contextSchema: z.object({ c0: z.string() }),
})
const m1 = createMiddleware({
  name: 'm1',
  stateSchema: z.object({ s1: z.string().optional() }),
  contextSchema: z.object({ c1: z.number() }),
})
const m2 = createMiddleware({ name: 'm2', stateSchema: { s2: z.array(z.string()).default([]) } })
const m3 = createMiddleware({ name: 'm3', contextSchema: z.object({ c3: z.enum(['a', 'b']).default('a') }) })
const m4 = createMiddleware({
  name: 'm4',
  stateSchema: { s4: field(z.number().default(0), { reducer: (sum, more: { add: number }) => sum + more.add }) },
})
const m5 = createMiddleware({ name: 'm5' })
const m6 = createMiddleware({ name: 'm6', stateSchema: { s6: z.boolean().default(false) } })
const m7 = createMiddleware({ name: 'm7', stateSchema: { s0: z.number().default(0) } })
const m8 = wrapModelCall((request, handler) => handler(request))
const m9 = createMiddleware({
  name: 'm9',
  stateSchema: { s9: z.date().optional() },
  contextSchema: z.object({ c9: z.string().optional() }),
})
const ten = createAgent({ model: 'openai:gpt', middleware: [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] })

export async function ofTen(): Promise<void> {
  const { state } = await ten.invoke(
    { messages: [], s1: 'x', s4: { add: 2 }, s6: true },
    { context: { c0: 'x', c1: 1, c3: 'b' } },
  )
  const seen: [number, string | undefined, readonly string[], number, boolean, Date | undefined, readonly Message[]] = [
    state.s0,
    state.s1,
    state.s2,
    state.s4,
    state.s6,
    state.s9,
    state.messages,
  ]
  void seen
  await ten.invoke('hi', { context: { c0: 'x', c1: 1 } })
  await ten.stream('hi', { context: { c0: 'x', c1: 1, c9: 'y' } }).result
  // @ts-expect-error: no such field
  state.s3
  // @ts-expect-error: read-only
  state.s0 = 1
  // @ts-expect-error: the context is required
  await ten.invoke('hi')
  // @ts-expect-error: the context is required
  ten.stream('hi')
  // @ts-expect-error: the context is required
  await ten.invoke('hi', {})
  // @ts-expect-error: a part of it is missing
  await ten.invoke('hi', { context: { c0: 'x' } })
  // @ts-expect-error: a part of it is wrong
  await ten.invoke('hi', { context: { c0: 'x', c1: 1, c3: 'c' } })
  // @ts-expect-error: nobody asks for this part
  await ten.invoke('hi', { context: { c0: 'x', c1: 1, nope: 1 } })
  // @ts-expect-error: no such option
  await ten.invoke('hi', { context: { c0: 'x', c1: 1 }, treadId: 't' })
  // @ts-expect-error: no such field
  await ten.invoke({ messages: [], s44: 1 }, { context: { c0: 'x', c1: 1 } })
  // @ts-expect-error: a field of another type
  await ten.invoke({ s6: 'yes' }, { context: { c0: 'x', c1: 1 } })
  // @ts-expect-error: the reducer takes { add }
  await ten.invoke({ s4: 1 }, { context: { c0: 'x', c1: 1 } })
}

// Without a context nothing is asked for.
const bare = createAgent({ model: 'openai:gpt' })
export const none = [bare.invoke('hi'), bare.invoke('hi', {}), bare.invoke('hi', { threadId: 't' })]
// @ts-expect-error: no such option of an agent
createAgent({ model: 'openai:gpt', midleware: [] })
// @ts-expect-error: no such choice
createAgent({ model: 'openai:gpt', toolChoice: 'maybe' })
// @ts-expect-error: a number is no middleware
createAgent({ model: 'openai:gpt', middleware: [1] })
// @ts-expect-error: a model is needed
createAgent({})

// Inside its hooks a middleware sees what it declares, parsed.
createMiddleware({
  name: 'hooks',
  stateSchema: { count: z.number().default(0), note: z.string().optional() },
  contextSchema: z.object({ user: z.string(), plan: z.string().default('free') }),
  tools: (turn) => (turn.state.count > 0 && turn.context.plan === 'free' ? [] : []),
  async wrapRun(run, next) {
    run.update({ count: run.state.count + run.context.user.length })
    await next()
    const after: number | undefined = run.result?.state.count
    void after
    // @ts-expect-error: written through its methods only
    run.state = { messages: [] }
    // @ts-expect-error: no such field
    run.update({ cuont: 1 })
  },
  async wrapTurn(turn, next) {
    turn.goto('end')
    // @ts-expect-error: no such target
    turn.goto('start')
    await next()
    turn.update({ note: turn.response?.message.role ?? 'none', count: undefined })
  },
  wrapModelCall(request, handler) {
    if (request.context.plan === 'none') return Promise.resolve(reply('No plan.'))
    // @ts-expect-error: the messages are read-only
    request.messages.push({ role: 'user', content: 'x' })
    // @ts-expect-error: a request is read-only
    request.systemPrompt = 'x'
    // @ts-expect-error: the state is no part of what a layer may change
    void request.override({ state: { count: 1 } })
    return handler(request.override({ systemPrompt: `${request.systemPrompt} ${request.state.count}` }))
  },
  async wrapToolCall(request, handler) {
    const user: string = request.context.user
    // @ts-expect-error: the name of a call stays
    void request.override({ name: user })
    return withUpdate(await handler(request.override({ args: { user } })), { count: 1 })
  },
  authorizeToolCall: ({ tool: { name }, context }) => (name === context.user ? deny('no') : { verdict: 'allow' }),
  beforeAgent: (state) => ({ count: state.count + 1 }),
  beforeModel: (_state, runtime) => (runtime.context.plan === 'free' ? command({ goto: 'end' }) : undefined),
  afterModel: () => command({ update: { count: 2 }, goto: 'model' }),
  afterAgent: async () => {},
})

// @ts-expect-error: misspelt
createMiddleware({ name: 'wrong', wrapModelcall: (request, handler) => handler(request) })
// @ts-expect-error: no name
createMiddleware({ beforeModel: () => {} })
createMiddleware({
  name: 'wrong',
  // @ts-expect-error: the response is not handed on
  async wrapModelCall(request, handler) {
    await handler(request)
  },
})
createMiddleware({
  name: 'wrong',
  stateSchema: { n: z.number() },
  // @ts-expect-error: the same beside a schema
  async wrapModelCall(request, handler) {
    await handler(request)
  },
})
createMiddleware({
  name: 'wrong',
  // @ts-expect-error: the result is not handed on
  async wrapToolCall(request, handler) {
    await handler(request)
  },
})
// @ts-expect-error: the same of a single layer
wrapModelCall(async (request, handler) => {
  await handler(request)
})
// @ts-expect-error: undefined is no verdict
createMiddleware({ name: 'wrong', authorizeToolCall: () => undefined })
// @ts-expect-error: only unknown keys
createMiddleware({ name: 'wrong', stateSchema: { count: z.number().default(0) }, beforeModel: () => ({ cuont: 1 }) })
// @ts-expect-error: of another type
createMiddleware({ name: 'wrong', stateSchema: { count: z.number().default(0) }, beforeModel: () => ({ count: 'x' }) })
createMiddleware({
  name: 'wrong',
  stateSchema: { count: z.number().default(0) },
  // @ts-expect-error: of another type, in a command
  beforeModel: () => command({ update: { count: 'x' } }),
})
// These two compile, since excess properties of an inferred return are not checked; the run refuses them.
createMiddleware({
  name: 'hole',
  stateSchema: { count: z.number().default(0) },
  beforeModel: () => ({ count: 1, nope: 1 }),
})
createMiddleware({ name: 'hole', beforeModel: () => ({ nope: 1 }) })

// A reducer gives a field an update type of its own.
export type Reduced = [
  Expect<Equal<KindOf<[typeof m4]>['state'], { readonly s4: number }>>,
  Expect<Equal<KindOf<[typeof m4]>['update'], { readonly s4?: { add: number } | undefined }>>,
]
// @ts-expect-error: the reducer gives no number
field(z.number(), { reducer: (sum, more: string) => `${sum}${more}` })

// compose, when and unless keep what is inside of them.
const stack = compose('stack', [
  m0,
  compose('inner', [m1, when(() => true, m4)]),
  unless(({ state }) => 's6' in state, m6),
])
const stacked = createAgent({ model: 'openai:gpt', middleware: [stack] })
export async function ofStack(): Promise<number> {
  // @ts-expect-error: the context of the parts is required
  await stacked.invoke('hi')
  const { state } = await stacked.invoke({ s4: { add: 1 } }, { context: { c0: 'x', c1: 1 } })
  return state.s0 + state.s4 + (state.s1?.length ?? 0) + Number(state.s6)
}

// use() and with() widen.
const used = bare.use(m0).use(m4).with(m1, m6)
export async function ofUse(): Promise<number> {
  // @ts-expect-error: the context is required by now
  await used.invoke('hi')
  const { state } = await used.invoke({ s4: { add: 1 } }, { context: { c0: 'x', c1: 1 } })
  // @ts-expect-error: m2 is not there
  state.s2
  return state.s0 + state.s4
}
// A plain function is a step of the run, as in Koa.
bare.use(async (run, next) => {
  await next()
  console.log(run.runId, run.result?.stopReason)
})
createAgent({ model: 'openai:gpt', middleware: [async (_run, next) => next(), m0] })

// One key with two types is refused with a sentence.
const text = createMiddleware({ name: 'text', stateSchema: { s0: z.string() } })
const other = createMiddleware({ name: 'other', contextSchema: z.object({ c0: z.number() }) })
// @ts-expect-error: middleware declare this key with different types: "s0"
createAgent({ model: 'openai:gpt', middleware: [m0, text] })
// @ts-expect-error: middleware declare this key with different types: "c0"
createAgent({ model: 'openai:gpt', middleware: [m0, other] })
// @ts-expect-error: the same with use()
bare.use(m0).use(text)
// @ts-expect-error: the same with with()
bare.with(m0, text)
// @ts-expect-error: the same against the agent's own
createAgent({ model: 'openai:gpt', stateSchema: { s0: z.boolean() }, middleware: [m0] })
const asking = tool(() => '', { name: 'asking', description: 'Asks.', stateSchema: { s0: z.boolean() } })
// @ts-expect-error: the same against a tool
createAgent({ model: 'openai:gpt', tools: [asking], middleware: [m0] })

// A middleware that is written in the list is typed as one that is written before it.
const inline = createAgent({
  model: 'openai:gpt',
  middleware: [
    createMiddleware({
      name: 'inline',
      stateSchema: { count: z.number().default(0) },
      contextSchema: z.object({ user: z.string() }),
      beforeModel: (state, runtime) => ({ count: state.count + runtime.context.user.length }),
    }),
    wrapModelCall((request, handler) => handler(request.override({ tools: [] }))),
    async (run, next) => {
      // @ts-expect-error: a step of the list does not know what others declare
      void run.state.count
      await next()
    },
  ],
})
export async function ofInline(): Promise<number> {
  // @ts-expect-error: the context is required
  await inline.invoke('hi')
  return (await inline.invoke('hi', { context: { user: 'x' } })).state.count
}

// A list of unknown length tells nothing about its parts, and takes nothing away.
const unknownLength: Middleware[] = [m0]
const loose = createAgent({
  model: 'openai:gpt',
  middleware: unknownLength,
  stateSchema: { own: z.number().default(0) },
})
export const ofLoose = async (): Promise<number> => (await loose.invoke({ own: 1 })).state.own
