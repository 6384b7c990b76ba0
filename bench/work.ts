// The work that both sides do: the same model in process, the same tool, the same zod schema.
import { type AnyMiddleware, createMiddleware, type Model, type ModelResponse, tool, type WireToolCall } from 'cepa'
import { z } from 'zod'

export const schema = z.object({ a: z.number(), b: z.number() })

/** The body of the tool. */
export const add = ({ a, b }: z.infer<typeof schema>): { sum: number } => ({ sum: a + b })

export const description = 'Adds two numbers.'

export const addTool = tool(add, { name: 'add', description, schema })

let ids = 0

const callOf = (): WireToolCall => ({
  id: `call_${++ids}`,
  type: 'function',
  function: { name: 'add', arguments: '{"a":1,"b":2}' },
})

/** What the model answers: calls of the tool, or at the end a text. */
export const answer = (calls: number): ModelResponse =>
  calls === 0
    ? { message: { role: 'assistant', content: 'done' }, finishReason: 'stop' }
    : {
        message: { role: 'assistant', content: null, tool_calls: Array.from({ length: calls }, callOf) },
        finishReason: 'tool_calls',
      }

/** A model that asks for `calls` calls in each of `turns` turns, then ends. For one run after the other. */
export function modelOf(turns: number, calls = 1, onCall: () => void = () => {}): Model {
  let turn = 0
  return {
    provider: 'bench',
    id: 'in-process',
    profile: {},
    async generate() {
      onCall()
      if (turn++ < turns) return answer(calls)
      turn = 0
      return answer(0)
    },
  }
}

/** Middleware that does nothing in each of the rings that it is in. */
export const passThrough = (count: number): AnyMiddleware[] =>
  Array.from({ length: count }, (_, index) =>
    createMiddleware({
      name: `pass-${index}`,
      wrapTurn: async (_turn, next) => {
        await next()
      },
      wrapModelCall: async (request, handler) => handler(request),
      wrapToolCall: async (request, handler) => handler(request),
    }),
  )

/** Layers of the tool call that do nothing. */
export const passThroughTools = (count: number): AnyMiddleware[] =>
  Array.from({ length: count }, (_, index) =>
    createMiddleware({ name: `pass-${index}`, wrapToolCall: async (request, handler) => handler(request) }),
  )
