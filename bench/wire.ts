import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type AssistantMessage, createAgent } from 'cepa'
import { openaiChat } from 'cepa/models/openai-chat'
import OpenAI from 'openai'
import { z } from 'zod'
import { handLoop } from './hand-loop.js'
import { interleave, work } from './interleave.js'
import type { Measure } from './row.js'
import { addTool, description, schema } from './work.js'

const DELTAS = 20_000

const tools = [
  {
    type: 'function' as const,
    function: { name: 'add', description, parameters: z.toJSONSchema(schema) as Record<string, unknown> },
  },
]

/** Over HTTP through the `openai` client, streamed and not, beside using the client oneself. */
export const measure: Measure = async () => {
  const path = fileURLToPath(new URL('./wire-server.ts', import.meta.url))
  const server = spawn(process.execPath, ['--import', 'tsx', path], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [line] = await once(server.stdout, 'data')
    const client = new OpenAI({ apiKey: 'none', baseURL: String(line).trim(), maxRetries: 0 })
    const agent = createAgent({ model: openaiChat({ model: 'bench', client }), tools: [addTool] })

    const whole = await interleave(
      {
        hand: async () => {
          await handLoop('go', async (messages) => {
            const body = { model: 'bench', messages: messages as OpenAI.ChatCompletionMessageParam[], tools }
            return (await client.chat.completions.create(body)).choices[0]?.message as AssistantMessage
          })
        },
        agent: () => agent.invoke('go'),
      },
      { rounds: 300, warmup: 100 },
    )
    const streams = {
      hand: async () => {
        let text = ''
        const messages = [{ role: 'user' as const, content: String(DELTAS) }]
        const chunks = await client.chat.completions.create({ model: 'bench', messages, tools, stream: true })
        for await (const { choices } of chunks) text += choices[0]?.delta.content ?? ''
        if (text.length !== DELTAS * 5) throw new Error('the client lost text')
      },
      agent: async () => {
        let text = ''
        for await (const event of agent.stream(String(DELTAS))) {
          if (event.type === 'delta' && event.delta.type === 'text') text += event.delta.text
        }
        if (text.length !== DELTAS * 5) throw new Error('the stream lost text')
      },
    }
    const streamed = await interleave(streams, { rounds: 15, warmup: 4 })
    const worked = await interleave(streams, { rounds: 9, warmup: 0, clock: work })
    const of = (times: Readonly<Record<string, number>>, name: string): number => times[name] ?? Number.NaN
    return [
      { name: 'a run of 6 requests by hand', value: of(whole, 'hand'), unit: 'µs' },
      { name: 'a run of 6 requests', value: of(whole, 'agent'), unit: 'µs' },
      { name: 'a run, over by hand', value: of(whole, 'agent') / of(whole, 'hand'), unit: 'times', bar: 1.1 },
      { name: 'the stream of the client itself', value: of(streamed, 'hand') / DELTAS, unit: 'µs/delta' },
      { name: 'the same through an agent', value: of(streamed, 'agent') / DELTAS, unit: 'µs/delta' },
      {
        name: 'a stream, over the client itself: processor time',
        value: of(worked, 'agent') / of(worked, 'hand'),
        unit: 'times',
      },
      {
        name: 'a stream, over the client itself',
        value: of(streamed, 'agent') / of(streamed, 'hand'),
        unit: 'times',
        bar: 1.2,
      },
    ]
  } finally {
    server.stdin.end()
  }
}
