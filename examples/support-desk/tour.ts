import type { Store } from 'cepa'
import type { Desk } from './agent.js'
import { heading, show } from './terminal.js'

interface Stop {
  readonly title: string
  readonly question: string
  readonly role?: 'supervisor'
  /** Features that are on from here on. */
  readonly on?: readonly string[]
}

const STOPS: readonly Stop[] = [
  { title: '1. A tool call: the answer is streamed', question: 'When is the shop in Oslo open?' },
  { title: '2. Tools by state: orders are not offered before the login', question: 'How is order 1042?' },
  {
    title: '3. A tool changes the state, and the next turn has other tools',
    question: 'I am Ada, PIN 4711. How are orders 1042 and 1043?',
  },
  { title: '4. An exception becomes a message', question: 'How is order 1044?' },
  { title: '5. returnDirect: the table goes out as it is, without another model call', question: 'Track order 1042.' },
  { title: '6. A tool registered at run time', question: 'What does it cost to send 3 kg to Lisbon?' },
  { title: '7. Tools by store: a feature that is off …', question: 'A present for 50 euros?' },
  { title: '   … and on', question: 'A present for 50 euros?', on: ['gift_ideas'] },
  {
    title: '8. Tools by context: what is hidden cannot run, even if the model names it',
    question: 'Refund order 1042.',
  },
  { title: '   The same question from a supervisor', question: 'Refund order 1042.', role: 'supervisor' },
  { title: '9. What the stand-in does not know', question: 'Write me a poem about glaze.' },
]

/** One conversation that shows each part of the stack. */
export async function tour(desk: Desk, store: Store, signal: AbortSignal): Promise<void> {
  for (const { title, question, role = 'customer', on } of STOPS) {
    if (on) await store.put(['features'], 'visitor', { on })
    heading(title)
    console.log(`you   ${question}`)
    await show(desk.stream(question, { threadId: 'tour', context: { user: 'visitor', role }, signal }))
  }
}
