// A provider on the loopback, as a process of its own: `node --import tsx bench/wire-server.ts` prints its address, and
// ends with its standard input. A streamed request gets as many deltas as its prompt says; any other a call of the tool
// until there are 5 results, then a text.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Tool turns of an unstreamed run. */
const TURNS = 5
/** Deltas that are written at once, as a busy provider's socket delivers them. */
const BATCH = 20

interface Body {
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

const head = { id: 'chatcmpl-1', created: 1, model: 'bench' }

function whole({ messages }: Body): object {
  const results = messages.filter(({ role }) => role === 'tool').length
  const message =
    results < TURNS
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `call_${results}`, type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
          ],
        }
      : { role: 'assistant', content: 'done' }
  const choice = { index: 0, message, finish_reason: results < TURNS ? 'tool_calls' : 'stop' }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return { ...head, object: 'chat.completion', choices: [choice], usage }
}

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

async function stream(count: number, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ role: 'assistant', content: '' }))
  const batch = chunk({ content: 'word ' }).repeat(BATCH)
  for (let sent = 0; sent < count; sent += BATCH) {
    if (!response.write(batch)) await new Promise((resolve) => response.once('drain', resolve))
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  const body = JSON.parse(text) as Body
  if (body.stream) return stream(Number(body.messages.at(-1)?.content), response)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole(body)))
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
})
process.stdin.resume().on('end', () => {
  server.closeAllConnections()
  server.close()
})
