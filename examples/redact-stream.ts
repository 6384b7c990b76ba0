// One layer redacts tokens and message alike. Run: npx tsx --conditions=@cepa/source examples/redact-stream.ts
import { createAgent, rewriteText, wrapModelCall } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'

const EMAIL = /[\w.+-]+@[\w-]+\.[\w.]+/g
const clean = (text: string): string => text.replace(EMAIL, '[email]')

// Only text goes through it; reasoning and the arguments of calls pass unchanged.
const redactEmail = wrapModelCall(
  rewriteText(() => {
    let held = ''
    return {
      write(text) {
        held += text
        const cut = held.search(/\S*$/) // hold the last word back: it may go on in the next piece
        const ready = held.slice(0, cut)
        held = held.slice(cut)
        return clean(ready)
      },
      end: () => clean(held),
    }
  }),
)

// Offline: the script shows its text in small pieces, as a provider does. With a real one: model: 'openai:gpt-5.4'
const model = scriptedModel(() => 'Write to ada@example.com or to linus@example.org today.')
const agent = createAgent({ model, middleware: [redactEmail] })

const stream = agent.stream('Whom do I ask?')
for await (const text of stream.text) console.log(`token: ${JSON.stringify(text)}`)
console.log(`streamed: ${(await stream.result).output}`)
console.log(`unstreamed: ${(await agent.invoke('Whom do I ask?')).output}`)
