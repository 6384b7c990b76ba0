import type { ChatCompletionRequest, ChatMessage } from '@copilotkit/aimock'
import { expect, test } from 'vitest'
import { readQuestion } from '../../examples/support-desk/question.js'
import { respond } from '../../examples/support-desk/stand-in.js'

const ALL = ['store_hours', 'log_in', 'order_status', 'track_parcel', 'gift_ideas', 'shipping_quote']
const request = (messages: ChatMessage[], offered = ALL): ChatCompletionRequest => ({
  model: 'stand-in',
  messages,
  tools: offered.map((name) => ({ type: 'function', function: { name } })),
})
const asked = (content: string): ChatMessage => ({ role: 'user', content })

test.each([
  ['When is the shop in Oslo open?', 'store_hours', { city: 'Oslo' }],
  ['opening hours in kyoto', 'store_hours', { city: 'Kyoto' }],
  ['Is our shop in New York closed on Sunday?', 'store_hours', { city: 'New York' }],
  ['What does it cost to send 3 kg to Lisbon?', 'shipping_quote', { city: 'Lisbon', kilograms: 3 }],
  ['How much for sending a 2.5 kilo box to berlin?', 'shipping_quote', { city: 'Berlin', kilograms: 2.5 }],
  ['postage to oslo', 'shipping_quote', { city: 'Oslo', kilograms: 1 }],
  ['Track 1043', 'track_parcel', { order: '1043' }],
  ['Where is my parcel? It is order 1042.', 'track_parcel', { order: '1042' }],
  ['and 1043?', 'order_status', { order: '1043' }],
  ['I want my money back for 1044', 'refund_order', { order: '1044' }],
  ['A gift for €50', 'gift_ideas', { budget: 50 }],
  ['a present for 20 euros', 'gift_ideas', { budget: 20 }],
  ['hi, I’m Ada, my PIN is 4711', 'log_in', { name: 'Ada', pin: '4711' }],
  ['log me in as linus, pin 1234', 'log_in', { name: 'Linus', pin: '1234' }],
])('%s', (question, tool, args) => {
  expect(readQuestion(question)).toEqual([{ tool, args }])
})

test('several wishes are met in the order in which they can be', () => {
  const question = asked('I am Ada, PIN 4711. How are 1042 and 1043, and again 1042?')
  expect(respond(request([question]))).toEqual({
    toolCalls: [{ name: 'log_in', arguments: '{"name":"Ada","pin":"4711"}' }],
  })
  const login: ChatMessage[] = [
    question,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'log_in', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'Logged in as Ada.' },
  ]
  expect(respond(request(login))).toEqual({
    toolCalls: [
      { name: 'order_status', arguments: '{"order":"1042"}' },
      { name: 'order_status', arguments: '{"order":"1043"}' },
    ],
  })
})

test('it asks back, and understands the answer', () => {
  const first = [asked('When are you open?')]
  const back = respond(request(first))
  expect(back).toEqual({ content: 'Which city do you mean?' })
  const answered = [...first, { role: 'assistant' as const, content: 'Which city do you mean?' }, asked('Oslo')]
  expect(respond(request(answered))).toEqual({ toolCalls: [{ name: 'store_hours', arguments: '{"city":"Oslo"}' }] })
})

test('it says what it needs where a tool is not offered', () => {
  expect(respond(request([asked('How is order 1042?')], ['log_in'])).content).toMatch(/must log in first/)
  expect(respond(request([asked('A present?')], ['log_in'])).content).toMatch(/not switched on/)
})

test.each(['Is there life on Mars?', 'constructor', '', 'Write a poem in Latin'])(
  'an unknown question gets a list of what it can do: %s',
  (question) => {
    const { content } = respond(request([asked(question)]))
    expect(content).toMatch(/^I did not understand that\. I am an offline stand-in for a model/)
    for (const tool of ALL) expect(content).toContain(tool)
  },
)
