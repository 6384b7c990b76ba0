/** What the stand-in says of itself when it does not understand. */
export const CAN_DO = [
  'I am an offline stand-in for a model and know only these kinds of questions:',
  '  When is the shop in Oslo open?             store_hours',
  '  What does it cost to send 3 kg to Lisbon?  shipping_quote',
  '  I am Ada, PIN 4711.                        log_in',
  '  How is order 1042? And 1043?               order_status, once you are logged in',
  '  Track the parcel of order 1042.            track_parcel, once you are logged in',
  '  A present for 50 euros?                    gift_ideas, where it is switched on',
  '  Refund order 1042.                         refund_order, for supervisors: ROLE=supervisor',
].join('\n')

type Result = Readonly<Record<string, unknown>>

const PHRASES: Readonly<Record<string, (result: Result) => string>> = {
  store_hours: ({ city, hours }) => `Our shop in ${city} is open ${hours}.`,
  shipping_quote: ({ city, kilograms, euros }) => `Sending ${kilograms} kg to ${city} costs ${euros} euros.`,
  order_status: ({ order, items, status, euros }) => `Order ${order} (${items}, ${euros} euros) is ${status}.`,
  refund_order: ({ order, refunded }) => `I have paid back ${refunded} euros for order ${order}.`,
  gift_ideas: (ideas) => `How about ${Object.values(ideas).join(' or ')}?`,
}

/** Says what a tool gave; what is not its data, such as an error, is passed on as it is. */
export function answer(tool: string, result: string): string {
  if (/^Sorry: The tool .* is not available/.test(result))
    return `I called ${tool}, which was not offered to me, and nothing was executed.`
  const phrase = Object.hasOwn(PHRASES, tool) ? PHRASES[tool] : undefined
  try {
    const data: unknown = JSON.parse(result)
    if (phrase && typeof data === 'object' && data !== null) return phrase(data as Result)
  } catch {
    // Not JSON: a text of its own.
  }
  return result
}
