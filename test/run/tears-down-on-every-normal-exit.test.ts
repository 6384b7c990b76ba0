import { command, createAgent, createMiddleware, tool } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked } from './checked.js'

const direct = tool(() => 'direct', { name: 'direct', description: 'D.', returnDirect: true })
const loop = tool(() => 'again', { name: 'loop', description: 'L.' })
const call = (name: string) => ({ toolCalls: [toolCall(name)] })

const EXITS = {
  text: [['text'], 'stop'],
  maxTurns: [[call('loop'), call('loop')], 'maxTurns'],
  returnDirect: [[call('direct')], 'returnDirect'],
  refusal: [[{ text: 'no', finishReason: 'refusal' }], 'refusal'],
  length: [[{ text: 'cut', finishReason: 'length' }], 'length'],
} as const

it.each(Object.entries(EXITS))(
  'case 6: afterAgent of every middleware runs at the exit by %s',
  async (_exit, [script, stopReason]) => {
    const log: string[] = []
    const tearDown = (name: string) => createMiddleware({ name, afterAgent: () => void log.push(name) })
    const model = scriptedModel(script)
    const agent = createAgent({ model, tools: [direct, loop], middleware: [tearDown('A'), tearDown('B')], maxTurns: 2 })
    expect(checked(await agent.invoke('go'), model).stopReason).toBe(stopReason)
    expect(log).toEqual(['B', 'A'])
  },
)

it('case 6: ending from beforeModel runs afterAgent, so that the thread is not dead afterwards', async () => {
  const limit = createMiddleware({
    name: 'limit',
    stateSchema: { runCount: z.number().default(0) },
    beforeModel: (state) => (state.runCount >= 1 ? command({ goto: 'end', stopReason: 'limit' }) : undefined),
    afterModel: (state) => ({ runCount: state.runCount + 1 }),
    afterAgent: () => ({ runCount: 0 }),
  })
  const model = scriptedModel([call('loop'), 'second run'])
  const agent = createAgent({ model, tools: [loop], middleware: [limit], checkpointer: memoryCheckpointer() })
  const first = checked(await agent.invoke('one', { threadId: 'T' }), model)
  expect(first).toMatchObject({ stopReason: 'limit', state: { runCount: 0 } })
  const second = checked(await agent.invoke('two', { threadId: 'T' }), model)
  expect(second).toMatchObject({ stopReason: 'stop', output: 'second run' })
})

it('an update of afterAgent and of a run step behind next() is in the result', async () => {
  const late = createMiddleware({
    name: 'late',
    stateSchema: { after: z.string().default(''), step: z.string().default('') },
    afterAgent: () => ({ after: 'hook' }),
    wrapRun: async (run, next) => {
      await next()
      run.update({ step: run.result?.stopReason })
    },
  })
  const result = checked(await createAgent({ model: scriptedModel(['x']), middleware: [late] }).invoke('go'))
  expect(result.state).toMatchObject({ after: 'hook', step: 'stop' })
})
