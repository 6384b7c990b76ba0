import type { AgentEvent, AgentStream } from 'cepa'

const colours = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
const dim = (text: string): string => (colours ? `\x1b[2m${text}\x1b[22m` : text)
const bold = (text: string): string => (colours ? `\x1b[1m${text}\x1b[22m` : text)

// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

export const heading = (text: string): void => console.log(`\n${bold(text)}`)
export const note = (text: string): void => console.log(dim(text))

/** Shows a run as it happens: which tools are offered, which are called with what, and the answer word by word. */
export async function show(stream: AgentStream): Promise<void> {
  let speaking = false
  const line = (text: string): void => {
    if (speaking) process.stdout.write('\n')
    speaking = false
    if (text !== '') note(`  ${text}`)
  }
  for await (const event of stream) {
    if (event.type === 'delta' && event.delta.type === 'text') {
      if (!speaking) process.stdout.write(`${bold('desk')}  `)
      speaking = true
      process.stdout.write(event.delta.text.replaceAll('\n', '\n      '))
    } else {
      const text = inWords(event)
      if (text !== undefined) line(text)
    }
  }
  line('')
  const { stopReason, output } = await stream.result
  if (stopReason === 'returnDirect') console.log(`${bold('desk')}  ${String(output).replaceAll('\n', '\n      ')}`)
  else if (stopReason !== 'stop') note(`  ended: ${stopReason}`)
}

/** One line for an event that is worth one. */
function inWords(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'custom':
      return written(event.chunk as { offered?: readonly string[]; turns?: number; ms?: number })
    case 'tool-start':
      return `→ ${event.toolCall.name} ${JSON.stringify(event.toolCall.args)}`
    case 'tool-progress':
      return `… ${event.chunk}`
    case 'tool-result':
      return `← ${event.message.status === 'error' ? 'failed: ' : ''}${short(String(event.message.content))}`
    case 'state':
      return `= ${short(event.updates.map((update) => JSON.stringify(update)).join(' '))}`
    default:
      return undefined
  }
}

const written = ({ offered, turns, ms }: { offered?: readonly string[]; turns?: number; ms?: number }): string =>
  offered ? `offered: ${offered.join(', ') || 'no tools'}` : `${turns} ${turns === 1 ? 'turn' : 'turns'}, ${ms} ms`

const short = (text: string): string => (text.length > 90 ? `${text.slice(0, 87)}…` : text).replaceAll('\n', ' ¶ ')
