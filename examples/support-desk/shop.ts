export interface Order {
  readonly order: string
  readonly customer: string
  readonly items: string
  readonly status: string
  readonly euros: number
  readonly stops: readonly string[]
}

const ORDERS: readonly Order[] = [
  {
    order: '1042',
    customer: 'ada',
    items: '2 espresso cups',
    status: 'on its way',
    euros: 38,
    stops: ['Mon 09:10  left the workshop', 'Tue 14:25  sorting centre', 'Wed 07:50  out for delivery'],
  },
  { order: '1043', customer: 'ada', items: '1 teapot', status: 'being glazed', euros: 72, stops: [] },
  {
    order: '1044',
    customer: 'linus',
    items: '4 plates',
    status: 'delivered',
    euros: 96,
    stops: ['Fri 11:02  handed over'],
  },
]

/** What the shop knows. In an app of your own this is a database. */
export const PINS: ReadonlyMap<string, string> = new Map([
  ['ada', '4711'],
  ['linus', '1234'],
])

export const HOURS: ReadonlyMap<string, string> = new Map([
  ['kyoto', '11:00 to 19:00, closed on Tuesday'],
  ['lisbon', '10:00 to 20:00, every day'],
  ['oslo', '9:00 to 18:00, closed on Sunday'],
])

/** Throws where there is nothing to find: what becomes of an exception is the stack's business, not the tool's. */
export function findOrder(order: string, customer?: string | null): Order {
  const found = ORDERS.find((one) => one.order === order && (customer === undefined || one.customer === customer))
  if (!found) throw new Error(`There is no order ${order}${customer === undefined ? '' : ' of yours'}.`)
  return found
}
