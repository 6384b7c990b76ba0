/**
 * What a run, or one model call, has used. Token counts are `undefined` where no provider reported them: unknown is
 * not zero. `input` includes `cacheRead` and `cacheWrite`; `output` includes `reasoning`.
 */
export interface Usage {
  /** Model calls made, failed ones and retries included. */
  readonly requests: number
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const

type Tokens = { -readonly [K in keyof Usage]: Usage[K] }

/** Nothing used yet. */
export const NO_USAGE: Usage = Object.freeze({ requests: 0 })

/** The sum of two usages; a count stays `undefined` while neither side knows it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Tokens = { requests: a.requests + b.requests }
  for (const key of TOKENS) {
    const left = a[key]
    const right = b[key]
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0)
  }
  return sum
}
