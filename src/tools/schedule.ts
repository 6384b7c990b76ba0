/** What {@link schedule} needs to know of the calls of a batch. */
export interface Schedule {
  readonly count: number
  /** How many may run at once; `Infinity` for no bound. */
  readonly concurrency: number
  /** Whether a call never runs in parallel with others. */
  isSequential(index: number): boolean
  /** Runs one call. It must not reject. */
  run(index: number): Promise<void>
}

/** Runs the calls of a batch: in parallel, in call order, no more at once than allowed, a sequential one alone. */
export async function schedule(batch: Schedule): Promise<void> {
  let group: number[] = []
  for (let index = 0; index < batch.count; index++) {
    if (!batch.isSequential(index)) {
      group.push(index)
      continue
    }
    await together(group, batch)
    group = []
    await batch.run(index)
  }
  await together(group, batch)
}

async function together(indexes: readonly number[], { concurrency, run }: Schedule): Promise<void> {
  if (indexes.length <= concurrency) {
    await Promise.all(indexes.map(run))
    return
  }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < indexes.length) await run(indexes[next++] as number)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
