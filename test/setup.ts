import { afterEach, beforeEach, expect } from 'vitest'

// Part of the oracle that holds after every test: nothing rejected unhandled, no listener warning.
const faults: unknown[] = []
process.on('unhandledRejection', (reason) => faults.push(reason))
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') faults.push(warning)
})

beforeEach(() => {
  faults.length = 0
})

afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  expect(faults, 'unhandled rejections or listener warnings').toEqual([])
})
