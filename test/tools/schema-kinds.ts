import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import alias from 'zod3'
import { z as copy } from 'zod3/v4'

/** The same schema in every library: `q` is a required text, `limit` an optional number. */
export const SAME: readonly (readonly [string, unknown])[] = [
  ['zod 4', z.object({ q: z.string(), limit: z.number().optional() })],
  ['zod 4 mini', mini.object({ q: mini.string(), limit: mini.optional(mini.number()) })],
  ['a second copy of zod 4', copy.object({ q: copy.string(), limit: copy.number().optional() })],
  ['zod 3 inside zod 4', z3.object({ q: z3.string(), limit: z3.number().optional() })],
  ['zod 3 of its own package', alias.object({ q: alias.string(), limit: alias.number().optional() })],
  ['valibot', toStandardJsonSchema(v.object({ q: v.string(), limit: v.optional(v.number()) }))],
  ['arktype', type({ q: 'string', 'limit?': 'number' })],
  [
    'JSON Schema',
    { type: 'object', properties: { q: { type: 'string' }, limit: { type: 'number' } }, required: ['q'] },
  ],
]

/** The libraries that share the way of building of zod, to be parametrised over. */
export const ZODS: readonly (readonly [string, typeof z])[] = [
  ['zod 4', z],
  ['a second copy of zod 4', copy as unknown as typeof z],
  ['zod 3 inside zod 4', z3 as unknown as typeof z],
  ['zod 3 of its own package', alias as unknown as typeof z],
]
