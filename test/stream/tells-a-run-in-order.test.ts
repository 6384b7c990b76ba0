import { type AgentEvent, createAgent, createMiddleware, field, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checked, readAll } from '../run/checked.js'

/** An event as one short line. */
function line(event: AgentEvent): string {
  switch (event.type) {
    case 'model-start':
      return `model-start ${event.attempt} ${event.model}`
    case 'model-end':
      return `model-end ${event.attempt} ${event.finishReason}`
    case 'delta':
      return `delta ${event.attempt} ${JSON.stringify(event.delta)}`
    case 'message':
      return `message ${event.message.role} ${JSON.stringify(event.message.content)}`
    case 'state':
      return `state ${JSON.stringify(event.updates)}`
    case 'tool-start':
      return `tool-start ${event.toolCall.id} ${JSON.stringify(event.toolCall.args)}`
    case 'tool-progress':
      return `tool-progress ${event.toolCallId} ${event.chunk}`
    case 'tool-result':
      return `tool-result ${event.message.tool_call_id} ${event.message.status}`
    case 'custom':
      return `custom ${event.toolCallId ?? '-'} ${event.chunk}`
    case 'run-start':
      return `run-start ${event.threadId} ${event.leg}`
    case 'run-end':
      return `run-end ${event.stopReason} ${event.usage.requests}`
    default:
      return event.type
  }
}

it('the events of a run with one tool', async () => {
  const steps = tool(
    async function* ({ n }, { writer }) {
      yield 1
      writer('from the tool')
      return n
    },
    { name: 'steps', description: 'S.', schema: z.object({ n: z.number() }) },
  )
  const count = createMiddleware({
    name: 'count',
    stateSchema: {
      seen: field(z.number().default(0), { reducer: (sum, more: number) => sum + more }),
      hidden: field(z.number().default(0), { hidden: true }),
    },
    beforeModel: (_state, { writer }) => {
      writer('from a hook')
      return { seen: 1, hidden: 1 }
    },
  })
  const model = scriptedModel([
    { text: 'On it.', toolCalls: [toolCall('steps', { n: 7 }, 'c1')] },
    { deltas: ['7', '!'] },
  ])
  const stream = createAgent({ model, tools: [steps], middleware: [count] }).stream('go')
  const { events, result } = await readAll(stream)
  checked(result, model)
  expect(events.map((event) => `${event.turn} ${line(event)}`)).toEqual([
    '0 run-start null 1',
    '0 message user "go"',
    '1 turn-start',
    '1 custom - from a hook',
    '1 model-start 1 scripted:scripted',
    '1 delta 1 {"type":"text","text":"On it"}',
    '1 delta 1 {"type":"text","text":"."}',
    '1 delta 1 {"type":"tool-args","toolCallId":"c1","name":"steps","text":"{\\"n\\":"}',
    '1 delta 1 {"type":"tool-args","toolCallId":"c1","name":"steps","text":"7}"}',
    '1 model-end 1 tool_calls',
    '1 message assistant "On it."',
    '1 state [{"seen":1}]',
    '1 tool-start c1 {"n":7}',
    '1 tool-progress c1 1',
    '1 custom c1 from the tool',
    '1 tool-result c1 success',
    '1 message tool "7"',
    '1 turn-end',
    '2 turn-start',
    '2 custom - from a hook',
    '2 model-start 1 scripted:scripted',
    '2 delta 1 {"type":"text","text":"7"}',
    '2 delta 1 {"type":"text","text":"!"}',
    '2 model-end 1 stop',
    '2 message assistant "7!"',
    '2 state [{"seen":1}]',
    '2 turn-end',
    '2 run-end stop 2',
  ])
  expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([result.runId]))
  expect(stream.runId).toBe(result.runId)
})
