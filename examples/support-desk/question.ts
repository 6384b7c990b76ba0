/** What a question asks for: one call of a tool, or what is missing for it. */
export interface Wish {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Asks back, where the question does not say enough. */
  readonly needs?: string
}

// Names in a sentence begin with a capital letter; whoever writes none at all is understood, too.
const BEFORE_A_CITY = String.raw`\b(?:in|to|at|for)\s+(?:the\s+|our\s+|your\s+)?`
const NAMED = new RegExp(String.raw`${BEFORE_A_CITY}(\p{Lu}[\p{L}'-]*(?:\s\p{Lu}[\p{L}'-]*)*)`, 'gu')
const ANY_WORD = new RegExp(String.raw`${BEFORE_A_CITY}(\p{L}[\p{L}'-]*)`, 'giu')
const NO_CITY = /^(?:shop|store|me|it|order|a|an|my|you|here|there|send|sending|ship|shipping)$/i

const cityOf = (text: string): string | undefined => {
  const words = [...text.matchAll(NAMED), ...text.matchAll(ANY_WORD)].map(([, word = '']) => word)
  const city = words.find((word) => !NO_CITY.test(word))
  return city === undefined ? undefined : capital(city)
}
const numberBefore = (text: string, unit: RegExp): number | undefined => {
  const found = text.match(new RegExp(`(\\d+(?:\\.\\d+)?)\\s*(?:${unit.source})`, 'i'))?.[1]
  return found === undefined ? undefined : Number(found)
}
const capital = (name: string): string => name[0]?.toUpperCase() + name.slice(1)

const inCity = (tool: string, text: string, more: object = {}): Wish[] => {
  const city = cityOf(text)
  return [city ? { tool, args: { city, ...more } } : { tool, args: {}, needs: 'Which city do you mean?' }]
}
const ofOrders = (tool: string, orders: readonly string[]): Wish[] =>
  orders.length > 0
    ? orders.map((order) => ({ tool, args: { order } }))
    : [{ tool, args: {}, needs: 'Which order do you mean? Its number has four digits, such as 1042.' }]

/** The wishes in a question, in the order in which they can be met; none if the stand-in does not know its words. */
export function readQuestion(question: string): readonly Wish[] {
  const text = question.replaceAll('’', "'")
  const wishes: Wish[] = []
  const login = text.match(/\b(?:i am|i'm|this is|log(?: me)? in as|name is)\s+([\p{L}]+)/iu)?.[1]
  const pin = text.match(/\bpin\D{0,12}(\d{4})\b/i)
  const wantsLogin = pin !== null || /\blog(?: me)? ?in\b|\bsign(?: me)? in\b/i.test(text)
  if (login && pin) wishes.push({ tool: 'log_in', args: { name: capital(login), pin: pin[1] } })
  else if (wantsLogin) return [{ tool: 'log_in', args: {}, needs: 'Tell me your name and PIN: "I am Ada, PIN 4711."' }]

  const orders = [...new Set((pin ? text.replace(pin[0], '') : text).match(/\b\d{4}\b/g))]
  const kilograms = numberBefore(text, /kg|kilos?\b|kilograms?/)
  const budget = numberBefore(text, /euros?|€/) ?? Number(text.match(/€\s*(\d+)/)?.[1] ?? 30)
  if (/\brefund|money back\b/i.test(text)) wishes.push(...ofOrders('refund_order', orders))
  else if (/\btrack|parcel of|where.*\b(?:parcel|package)\b/i.test(text))
    wishes.push(...ofOrders('track_parcel', orders))
  else if (orders.length > 0 || /\border\b/i.test(text)) wishes.push(...ofOrders('order_status', orders))
  else if (/\b(?:gift|present)/i.test(text)) wishes.push({ tool: 'gift_ideas', args: { budget } })
  else if (/\b(?:ship|shipping|send|sending|deliver|delivery|parcel|postage)\b/i.test(text))
    wishes.push(...inCity('shipping_quote', text, { kilograms: kilograms ?? 1 }))
  else if (/\b(?:open|opening|hours|close|closes|closed)\b/i.test(text)) wishes.push(...inCity('store_hours', text))
  return wishes
}
