/**
 * What is compared with one another, by name. Each is a short piece of work: what takes less than a slice of the
 * scheduler is seldom cut in two, so the median holds on a busy machine too.
 */
export type Works = Readonly<Record<string, () => Promise<unknown>>>

/**
 * Runs all works round by round, each once a round, in turning order, so that whatever slows the machine down meets all
 * of them. Gives the median of each, in microseconds. The rounds of the warm-up do not count.
 */
export async function interleave(
  works: Works,
  { rounds, warmup, clock = wall }: { rounds: number; warmup: number; clock?: () => number },
): Promise<Readonly<Record<string, number>>> {
  const names = Object.keys(works)
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -warmup; round < rounds; round++) {
    for (let step = 0; step < names.length; step++) {
      const name = names[(step + Math.abs(round)) % names.length] as string
      const begun = clock()
      await works[name]?.()
      if (round >= 0) times[name]?.push(clock() - begun)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]))
}

/** Microseconds that have passed. */
const wall = (): number => performance.now() * 1000

/** Microseconds that this process has been at work: for what never waits, and is too long not to be cut in two. */
export const work = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** The middle one of some numbers. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
