import { isAgentError } from 'cepa'
import { memoryStore } from 'cepa/stores/memory'
import { createDesk } from './agent.js'
import { chat } from './chat.js'
import { startStandIn } from './stand-in.js'
import { heading, note, show } from './terminal.js'
import { tour } from './tour.js'

const STAND_IN = [
  'The model is an offline stand-in: a server on this machine that knows a few questions, and no real model.',
  'With a real one: MODEL=openai:gpt-5.4 OPENAI_API_KEY=… npm start',
].join('\n')

/** `main.ts` plays the tour, `main.ts "a question"` answers it, `main.ts --chat` talks. */
async function main(args: readonly string[]): Promise<void> {
  const { MODEL, ROLE } = process.env
  const ctrlC = new AbortController()
  process.once('SIGINT', () => ctrlC.abort())
  const standIn = MODEL ? undefined : await startStandIn()
  try {
    note(standIn ? STAND_IN : `The model is ${MODEL}.`)
    const store = memoryStore()
    const desk = createDesk(standIn?.model ?? MODEL ?? '', store)
    if (args.length === 0) return await tour(desk, store, ctrlC.signal)

    await store.put(['features'], 'visitor', { on: ['gift_ideas'] })
    const context = { user: 'visitor', role: ROLE === 'supervisor' ? 'supervisor' : 'customer' } as const
    if (args[0] === '--chat') return await chat(desk, { context }, ctrlC.signal)
    const question = args.join(' ')
    heading(`you   ${question}`)
    await show(desk.stream(question, { context, signal: ctrlC.signal }))
  } catch (error) {
    if (ctrlC.signal.aborted) {
      note('\nStopped.')
      process.exitCode = args[0] === '--chat' ? 0 : 130
    } else if (isAgentError(error)) {
      console.error(error.message)
      process.exitCode = 1
    } else throw error
  } finally {
    await standIn?.close()
  }
}

await main(process.argv.slice(2))
