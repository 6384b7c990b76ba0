import { command, tool, toolMessage } from 'cepa'
import { z } from 'zod'
import { findOrder, HOURS, PINS } from './shop.js'

/** Who is logged in: a field of the state, which the tools and the stack share. */
export const deskState = { customer: z.string().nullable().default(null) }

const order = z.string().describe('The number of an order, such as 1042')

const storeHours = tool(
  ({ city }) => {
    const hours = HOURS.get(city.toLowerCase())
    if (!hours) throw new Error(`We have no shop in ${city}; our shops are in Kyoto, Lisbon and Oslo.`)
    return { city, hours }
  },
  { name: 'store_hours', description: 'Opening hours of a shop.', schema: z.object({ city: z.string() }) },
)

// A command changes the state; from the next turn on the stack offers other tools.
const logIn = tool(
  ({ name, pin }) => {
    const customer = name.toLowerCase()
    if (PINS.get(customer) !== pin) throw new Error('That name and PIN do not belong together.')
    return command({ update: { customer }, messages: [toolMessage(`Logged in as ${name}.`)] })
  },
  {
    name: 'log_in',
    description: 'Logs a customer in.',
    schema: z.object({ name: z.string(), pin: z.string().describe('Four digits') }),
    stateSchema: deskState,
    metadata: { when: 'logged-out' },
  },
)

const orderStatus = tool(
  ({ order }, { state }) => {
    const { items, status, euros } = findOrder(order, state.customer)
    return { order, items, status, euros }
  },
  {
    name: 'order_status',
    description: 'What is in an order and how far it is.',
    schema: z.object({ order }),
    stateSchema: deskState,
    metadata: { when: 'logged-in' },
  },
)

// A generator reports progress. returnDirect: its table goes to the person as it is, without another model call.
const trackParcel = tool(
  async function* ({ order }, { state }) {
    yield 'asking the carrier'
    const { stops } = findOrder(order, state.customer)
    return [`Parcel of order ${order}`, ...(stops.length > 0 ? stops : ['not handed over yet'])].join('\n')
  },
  {
    name: 'track_parcel',
    description: 'The stops of a parcel so far.',
    schema: z.object({ order }),
    stateSchema: deskState,
    returnDirect: true,
    metadata: { when: 'logged-in' },
  },
)

const refundOrder = tool(({ order }) => ({ order, refunded: findOrder(order).euros }), {
  name: 'refund_order',
  description: 'Pays the price of an order back.',
  schema: z.object({ order }),
  metadata: { role: 'supervisor' },
})

const giftIdeas = tool(({ budget }) => (budget < 40 ? ['an espresso cup'] : ['a teapot', 'a pair of bowls']), {
  name: 'gift_ideas',
  description: 'Presents within a budget.',
  schema: z.object({ budget: z.number().describe('In euros').default(30) }),
  metadata: { flag: 'gift_ideas' },
})

export const deskTools = [storeHours, logIn, orderStatus, trackParcel, refundOrder, giftIdeas] as const

/** Made at run time, from what a carrier publishes: see `carrierTools` in `stack.ts`. */
export const shippingQuote = (eurosPerKilogram: ReadonlyMap<string, number>) =>
  tool(
    ({ city, kilograms }) => {
      const rate = eurosPerKilogram.get(city.toLowerCase())
      if (rate === undefined) throw new Error(`The carrier does not go to ${city}.`)
      return { city, kilograms, euros: rate * kilograms }
    },
    {
      name: 'shipping_quote',
      description: 'The price of sending a parcel to a city.',
      schema: z.object({ city: z.string(), kilograms: z.number().positive().default(1) }),
    },
  )
