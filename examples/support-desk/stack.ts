import { createMiddleware, type RunStep } from 'cepa'
import { modelRetry, toolErrors } from 'cepa/middleware'
import { z } from 'zod'
import { deskState, shippingQuote } from './tools.js'

/** Who sits at the desk. Without a role: the most restrictive one. */
export const deskContext = z.object({
  user: z.string().default('guest'),
  role: z.enum(['customer', 'supervisor']).default('customer'),
})

/** A plain Koa function is a step of the run: code before and after `next()`. */
export const timing: RunStep = async (run, next) => {
  const started = performance.now()
  await next()
  run.runtime.writer({ turns: run.turns, ms: Math.round(performance.now() - started) })
}

/** By state: orders are for those who are logged in, `log_in` for those who are not. */
export const byLogin = createMiddleware({
  name: 'by-login',
  stateSchema: deskState,
  wrapModelCall: (request, handler) => {
    const now = request.state.customer === null ? 'logged-out' : 'logged-in'
    return handler(request.override({ tools: request.tools.filter((t) => (t.metadata?.when ?? now) === now) }))
  },
})

/** By context: what only one role may do. */
export const byRole = createMiddleware({
  name: 'by-role',
  contextSchema: deskContext,
  wrapModelCall: (request, handler) => {
    const { role } = request.context
    return handler(request.override({ tools: request.tools.filter((t) => (t.metadata?.role ?? role) === role) }))
  },
})

/** By store: features that are switched on for this user, in long-term memory. */
export const byFlag = createMiddleware({
  name: 'by-flag',
  contextSchema: deskContext,
  wrapModelCall: async (request, handler) => {
    const item = await request.runtime.store.get<{ on: string[] }>(['features'], request.context.user)
    const on = item?.value.on ?? []
    const isOn = (flag: unknown) => flag === undefined || on.includes(String(flag))
    return handler(request.override({ tools: request.tools.filter((t) => isOn(t.metadata?.flag)) }))
  },
})

/** At run time: asked again every turn, so a tool that a carrier publishes tomorrow is there tomorrow. */
export const carrierTools = createMiddleware({
  name: 'carrier-tools',
  tools: async () => [shippingQuote(await loadRates())],
})

const loadRates = async () => new Map(Object.entries({ berlin: 11, kyoto: 24, lisbon: 9, oslo: 7 }))

/** An exception of a tool becomes a message that the model can use. Control flow, such as an abort, passes. */
export const sorry = toolErrors({ format: (error) => `Sorry: ${error instanceof Error ? error.message : error}` })

/** Innermost: tells the terminal what the layers above left over. */
export const showOffered = createMiddleware({
  name: 'show-offered',
  innermost: true,
  wrapModelCall: (request, handler) => {
    request.runtime.writer({ offered: request.tools.map(({ name }) => name) })
    return handler(request)
  },
})

export const deskStack = [timing, byLogin, byRole, byFlag, carrierTools, sorry, modelRetry(), showOffered] as const
