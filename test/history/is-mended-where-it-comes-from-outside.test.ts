import { createAgent, type Message, repairPairs, user } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { scriptedModel } from 'cepa/models/scripted'
import { describe, expect, it } from 'vitest'
import { checkHistory } from '../invariants.js'
import { checked } from '../run/checked.js'

const asks = (...ids: string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const answer = (id: string, content = `result ${id}`): Message => ({ role: 'tool', tool_call_id: id, content })

const HISTORIES: Record<string, Message[]> = {
  'a call without a result': [user('a'), asks('1'), user('b')],
  'an open call at the end': [user('a'), asks('1', '2')],
  'half of a batch': [user('a'), asks('1', '2', '3'), answer('2'), user('b')],
  'half of a batch at the end': [user('a'), asks('1', '2', '3'), answer('2')],
  'an orphan result': [user('a'), answer('1'), user('b')],
  'results in another order': [asks('1', '2'), answer('2'), answer('1'), user('b')],
  'results split by a message': [asks('1', '2'), answer('1'), user('b'), answer('2')],
  'a result twice': [asks('1'), answer('1'), answer('1', 'again'), user('b')],
  'a result of another call': [asks('1'), answer('2'), user('b')],
  'ids used again in a later turn': [asks('1'), answer('1'), asks('1'), user('b')],
  'nothing but results': [answer('1'), answer('2')],
}

describe('case 56: a history with', () => {
  it.each(Object.entries(HISTORIES))('%s is valid in the state and on the wire', async (_title, history) => {
    for (const checkpointer of [undefined, memoryCheckpointer()]) {
      const model = scriptedModel(['one', 'two'])
      const agent = createAgent({ model, ...(checkpointer && { checkpointer }) })
      const options = checkpointer ? { threadId: 'T' } : {}
      const result = checked(await agent.invoke(history, options), model)
      expect(result.output).toBe('one')
      checked(await agent.invoke(checkpointer ? 'more' : [...result.messages, user('more')], options), model)
    }
    const mended = repairPairs(history)
    checkHistory(mended)
    expect(repairPairs(mended)).toBe(mended)
  })

  it('results that are there keep their text', async () => {
    const model = scriptedModel(['one'])
    const history = HISTORIES['results split by a message'] as Message[]
    const { messages } = checked(await createAgent({ model }).invoke(history), model)
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'assistant'])
    expect(messages.slice(1, 3)).toMatchObject([{ content: 'result 1' }, { content: 'result 2' }])
  })
})
