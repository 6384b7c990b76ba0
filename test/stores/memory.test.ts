import { memoryStore } from 'cepa/stores/memory'
import { describe, expect, test } from 'vitest'
import { storeContract } from '../contracts/store.js'

storeContract('memoryStore', ({ clock }) => memoryStore({ clock }))

describe('memoryStore', () => {
  test('query without an index is a ConfigError, not ignored', async () => {
    await expect(memoryStore().search([], { query: 'colours' })).rejects.toThrow(/query needs a store with an index/)
  })

  test('ttlMs is that of what has none of its own, and refreshOnRead starts it anew', async () => {
    let now = 0
    const store = memoryStore({ clock: () => new Date(now), ttlMs: 10, refreshOnRead: true })
    await store.put(['a'], 'k', 1)
    await store.put(['a'], 'own', 1, { ttlMs: 100 })
    now = 9
    expect(await store.get(['a'], 'k')).not.toBeNull()
    now = 18
    expect(await store.search(['a'])).toHaveLength(2)
    now = 28
    expect(await store.get(['a'], 'k')).toBeNull()
    expect(await store.get(['a'], 'own')).not.toBeNull()
  })

  test.each<[object, RegExp]>([
    [{ clok: 1 }, /unknown option "clok"; expected clock, ttlMs or refreshOnRead/],
    [{ clock: 5 }, /expected clock to be a function/],
    [{ ttlMs: 0 }, /memoryStore\(\): ttlMs: expected a number of milliseconds above 0/],
    [{ refreshOnRead: 1 }, /expected refreshOnRead to be true or false/],
  ])('refuses %j', (options, message) => {
    expect(() => memoryStore(options as never)).toThrow(message)
  })
})
