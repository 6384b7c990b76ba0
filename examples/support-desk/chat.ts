import { createInterface } from 'node:readline'
import { isAgentError } from 'cepa'
import type { Desk } from './agent.js'
import { note, show } from './terminal.js'

/** Talks in the terminal, on one thread, until `exit`, the end of the input, or Ctrl-C. */
export async function chat(desk: Desk, context: Parameters<Desk['stream']>[1], signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '\nyou   ' })
  let open = true
  lines.once('close', () => {
    open = false
  })
  const stop = (): void => lines.close()
  // A terminal in raw mode gives Ctrl-C to readline and not to the process.
  lines.on('SIGINT', () => process.emit('SIGINT'))
  signal.addEventListener('abort', stop, { once: true })
  const isTerminal = process.stdin.isTTY === true
  note('Ask something; "exit" ends.')
  if (isTerminal) lines.prompt()
  for await (const line of lines) {
    const question = line.trim()
    if (!isTerminal) console.log(`\nyou   ${question}`)
    if (question === 'exit') break
    if (question !== '') await answer(desk.stream(question, { ...context, threadId: 'chat', signal }))
    if (isTerminal && open) lines.prompt()
  }
  signal.removeEventListener('abort', stop)
  lines.close()
}

/** A failure of the model ends an answer, not the conversation. */
async function answer(stream: ReturnType<Desk['stream']>): Promise<void> {
  try {
    await show(stream)
  } catch (error) {
    if (!isAgentError(error)) throw error
    note(`  failed: ${error.message}`)
  }
}
