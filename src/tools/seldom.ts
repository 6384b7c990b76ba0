import { type Late, late } from '../internal/late.js'

/** What most runs never need, loaded with its first use: a promise the first time, and from then on no wait. */
export const seldom: Late<typeof import('./seldom-parts.js')> = late(() => import('./seldom-parts.js'))
