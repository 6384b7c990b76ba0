import type { ModelProfile } from './model.js'
import { textHash } from './wire-names.js'

/** What OpenAI takes as a tool call id (40 characters) and Anthropic as its characters. */
const PORTABLE = /^[a-zA-Z0-9_-]{1,40}$/
/** What Mistral takes as a tool call id. */
const ALNUM9 = /^[a-zA-Z0-9]{9}$/

const asIs = (id: string): string => id

/**
 * Maps tool call ids to what a provider takes. An id that it takes stays as it is; another one becomes nine
 * alphanumerics made from it, always the same, and never an id that another one of this request has.
 */
export function wireIds(profile: ModelProfile): (id: string) => string {
  const rule = profile.callIds ?? 'any'
  if (rule === 'any') return asIs
  const legal = rule === 'alnum9' ? ALNUM9 : PORTABLE
  const mapped = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    const known = mapped.get(id)
    if (known !== undefined) return known
    let salt = 0
    let wireId = legal.test(id) ? id : nineFrom(id, salt)
    while (taken.has(wireId)) {
      salt += 1
      wireId = nineFrom(id, salt)
    }
    mapped.set(id, wireId)
    taken.add(wireId)
    return wireId
  }
}

function nineFrom(id: string, salt: number): string {
  const low = textHash(`${salt}:${id}`).toString(36)
  const high = textHash(`${id}:${salt}`).toString(36)
  return `${low}${high}000000000`.slice(0, 9)
}
