import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, ConflictError, StateError } from '../../src/errors.js'
import type { Store } from '../../src/stores/store.js'

/** Makes an empty store whose time is `clock`, where the backend can be told. */
export type MakeStore = (options: { clock: () => Date }) => Store | Promise<Store>

/** The contract of a store: every backend runs it. */
export function storeContract(name: string, make: MakeStore): void {
  const time = { now: Date.UTC(2026, 0, 1) }
  const fresh = async (): Promise<Store> => make({ clock: () => new Date(time.now) })
  const keys = (items: readonly { key: string }[]): string[] => items.map(({ key }) => key)

  describe(`${name}: items`, () => {
    test('L17: are put, read, replaced and deleted', async () => {
      const store = await fresh()
      expect(await store.get(['users', 'ann'], 'colour')).toBeNull()
      await store.put(['users', 'ann'], 'colour', { name: 'red' })
      const first = await store.get<{ name: string }>(['users', 'ann'], 'colour')
      expect(first).toMatchObject({ namespace: ['users', 'ann'], key: 'colour', value: { name: 'red' } })
      expect(first?.createdAt).toEqual(new Date(time.now))
      time.now += 1000
      await store.put(['users', 'ann'], 'colour', { name: 'blue' })
      const second = await store.get(['users', 'ann'], 'colour')
      expect(second).toMatchObject({ value: { name: 'blue' }, createdAt: first?.createdAt })
      expect(second?.updatedAt).toEqual(new Date(time.now))
      expect(second?.version).not.toBe(first?.version)
      await store.delete(['users', 'ann'], 'colour')
      await store.delete(['users', 'ann'], 'colour')
      expect(await store.get(['users', 'ann'], 'colour')).toBeNull()
    })

    test('case 82: are copies, in and out', async () => {
      const store = await fresh()
      const value = { n: 1, deep: { list: [1] } }
      await store.put(['a'], 'k', value)
      value.n = 2
      value.deep.list.push(2)
      const item = await store.get<typeof value>(['a'], 'k')
      expect(item?.value).toEqual({ n: 1, deep: { list: [1] } })
      if (item) {
        item.value.n = 3
        ;(item.namespace as string[]).push('b')
      }
      const [found] = await store.search<typeof value>(['a'])
      if (found) found.value.deep.list.push(9)
      expect(await store.get(['a'], 'k')).toMatchObject({ namespace: ['a'], value: { n: 1, deep: { list: [1] } } })
    })

    test('keep what JSON lacks', async () => {
      const store = await fresh()
      const value = {
        at: new Date(0),
        big: 2n ** 60n,
        map: new Map([['a', { b: 1 }]]),
        set: new Set([1]),
        bytes: new Uint8Array([1, 2]),
        url: new URL('https://a.example/'),
        odd: [Number.NaN, Number.POSITIVE_INFINITY, -0, undefined, null],
        $: 'no tag',
      }
      await store.put(['a'], 'k', value)
      expect((await store.get(['a'], 'k'))?.value).toEqual(value)
    })

    test.each<[string, unknown, RegExp]>([
      ['a function', { cart: { items: [() => 1] } }, /value\.cart\.items\[0\]/],
      ['a symbol', { s: Symbol('s') }, /value\.s/],
      ['an instance of a class', { it: new (class Cart {})() }, /value\.it.*Cart/],
      ['a promise', { later: Promise.resolve() }, /value\.later/],
      ['an own __proto__ key', JSON.parse('{"a":{"__proto__":{"x":1}}}'), /value\.a\.__proto__/],
      ['a constructor that holds an object', { constructor: { prototype: {} } }, /value\.constructor/],
    ])('refuse %s, naming the path', async (_what, value, message) => {
      const store = await fresh()
      const put = store.put(['a'], 'k', value)
      await expect(put).rejects.toThrow(message)
      await expect(store.put(['a'], 'k', value)).rejects.toThrow(StateError)
      expect(await store.get(['a'], 'k')).toBeNull()
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    })

    test('refuse a cycle, and take what is merely shared and plain words', async () => {
      const store = await fresh()
      const cyclic: Record<string, unknown> = {}
      cyclic.self = cyclic
      await expect(store.put(['a'], 'k', cyclic)).rejects.toThrow(/value\.self: expected a value without cycles/)
      const shared = { s: 1 }
      await store.put(['a'], 'k', { a: shared, b: shared, constructor: 'Ferrari' })
      expect((await store.get(['a'], 'k'))?.value).toEqual({ a: { s: 1 }, b: { s: 1 }, constructor: 'Ferrari' })
    })
  })

  describe(`${name}: namespaces and keys`, () => {
    test.each<[string, unknown]>([
      ['a number', ['u', 1]],
      ['undefined', ['u', undefined]],
      ['no label', []],
      ['a text', 'users'],
    ])('case 81: %s is a StateError', async (_what, namespace) => {
      const store = await fresh()
      const place = namespace as string[]
      await expect(store.put(place, 'k', 1)).rejects.toThrow(StateError)
      await expect(store.get(place, 'k')).rejects.toThrow(StateError)
      await expect(store.delete(place, 'k')).rejects.toThrow(StateError)
      await expect(store.put(['a'], 5 as never, 1)).rejects.toThrow(/key: expected a string, got 5/)
      expect(await store.search([])).toEqual([])
    })

    test('case 81: the label is named', async () => {
      await expect((await fresh()).put(['u', undefined as never], 'k', 1)).rejects.toThrow(
        /namespace\[1\]: expected a string, got undefined/,
      )
    })

    test('case 128: prototype names behave like any other', async () => {
      const store = await fresh()
      const names = ['__proto__', 'constructor', 'prototype', 'toString']
      for (const one of names) {
        expect(await store.get([one], one)).toBeNull()
        await store.put([one], one, { x: one })
      }
      for (const one of names) expect((await store.get([one], one))?.value).toEqual({ x: one })
      expect((await store.listNamespaces()).map(([label]) => label).sort()).toEqual([...names].sort())
      for (const one of names) await store.delete([one], one)
      expect(await store.search([])).toEqual([])
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    })

    test('L18: labels are any strings, kept apart', async () => {
      const store = await fresh()
      const places = [
        ['a', 'b'],
        ['a/b'],
        ['a%2Fb'],
        ['a', 'b', ''],
        ['', 'a'],
        [''],
        ['A'],
        ['a'],
        ['ann@example.com', 'https://a.example/?q=1%'],
        ['\u0000'],
        ['%00'],
        ['é'],
        ['e\u0301'],
        ['\ud800'],
        ['%ud800'],
        ['😀'],
      ]
      for (const [index, place] of places.entries()) await store.put(place, 'k', index)
      for (const [index, place] of places.entries()) {
        expect(await store.get(place, 'k')).toMatchObject({ namespace: place, value: index })
      }
      const listed = await store.listNamespaces({ limit: 100 })
      expect(new Set(listed.map((place) => JSON.stringify(place)))).toEqual(
        new Set(places.map((place) => JSON.stringify(place))),
      )
    })

    test('a prefix is one of whole labels', async () => {
      const store = await fresh()
      for (const place of [['a'], ['ab'], ['a', 'b'], ['A'], ['a%'], ['a_']]) await store.put(place, 'k', 1)
      expect((await store.search(['a'])).map(({ namespace }) => namespace)).toEqual([['a'], ['a', 'b']])
    })
  })

  describe(`${name}: writes with a condition`, () => {
    test('ifVersion must match; null means that there is none', async () => {
      const store = await fresh()
      await store.put(['a'], 'k', 1, { ifVersion: null })
      await expect(store.put(['a'], 'k', 2, { ifVersion: null })).rejects.toThrow(ConflictError)
      const version = (await store.get(['a'], 'k'))?.version ?? ''
      await store.put(['a'], 'k', 2, { ifVersion: version })
      await expect(store.put(['a'], 'k', 3, { ifVersion: version })).rejects.toThrow(ConflictError)
      await expect(store.delete(['a'], 'k', { ifVersion: version })).rejects.toThrow(ConflictError)
      await expect(store.delete(['a'], 'k', { ifVersion: null })).rejects.toThrow(ConflictError)
      expect((await store.get(['a'], 'k'))?.value).toBe(2)
    })

    test('a version never comes back after delete and create', async () => {
      const store = await fresh()
      await store.put(['a'], 'k', 1)
      const version = (await store.get(['a'], 'k'))?.version ?? ''
      await store.delete(['a'], 'k', { ifVersion: version })
      await store.put(['a'], 'k', 1)
      await expect(store.put(['a'], 'k', 2, { ifVersion: version })).rejects.toThrow(ConflictError)
    })
  })

  describe(`${name}: time to live`, () => {
    test('what has expired is invisible, to ifVersion too', async () => {
      const store = await fresh()
      await store.put(['a'], 'short', 1, { ttlMs: 1000 })
      await store.put(['b'], 'long', 1)
      const version = (await store.get(['a'], 'short'))?.version ?? ''
      time.now += 999
      expect(await store.get(['a'], 'short')).not.toBeNull()
      time.now += 1
      expect(await store.get(['a'], 'short')).toBeNull()
      expect(keys(await store.search([]))).toEqual(['long'])
      expect(await store.listNamespaces()).toEqual([['b']])
      await expect(store.put(['a'], 'short', 2, { ifVersion: version })).rejects.toThrow(ConflictError)
      await store.put(['a'], 'short', 2, { ifVersion: null })
      expect(await store.get(['a'], 'short')).toMatchObject({ value: 2, createdAt: new Date(time.now) })
    })

    test('a wrong one is a ConfigError', async () => {
      const store = await fresh()
      for (const ttlMs of [0, -1, Number.NaN, '5' as never]) {
        await expect(store.put(['a'], 'k', 1, { ttlMs })).rejects.toThrow(ConfigError)
      }
    })
  })

  describe(`${name}: search`, () => {
    const people = {
      ann: { age: 30, city: 'Oslo', tags: ['a'], born: new Date(10) },
      bob: { age: 40, city: 'Rome', "o'key": 1 },
      cid: { age: '40', city: null, 'a.b': { c: 1 } },
    }
    const filled = async (): Promise<Store> => {
      const store = await fresh()
      for (const [key, value] of Object.entries(people)) await store.put(['people'], key, value)
      return store
    }

    test.each<[object, string[]]>([
      [{}, ['ann', 'bob', 'cid']],
      [{ age: 40 }, ['bob']],
      [{ age: '40' }, ['cid']],
      [{ city: null }, ['cid']],
      [{ tags: ['a'] }, ['ann']],
      [{ "o'key": 1 }, ['bob']],
      [{ 'a.b': { c: 1 } }, ['cid']],
      [{ age: { $eq: 30 } }, ['ann']],
      [{ age: { $ne: 30 } }, ['bob', 'cid']],
      [{ tags: { $ne: ['a'] } }, ['bob', 'cid']],
      [{ age: { $gt: 30 } }, ['bob']],
      [{ age: { $gte: 30 } }, ['ann', 'bob']],
      [{ age: { $lt: 40 } }, ['ann']],
      [{ age: { $lte: 40, $gt: 30 } }, ['bob']],
      [{ born: { $gte: new Date(10) } }, ['ann']],
      [{ city: { $in: ['Oslo', null] } }, ['ann', 'cid']],
      [{ city: { $nin: ['Oslo'] } }, ['bob', 'cid']],
      [{ tags: { $exists: true } }, ['ann']],
      [{ tags: { $exists: false } }, ['bob', 'cid']],
      [{ city: 'Rome', age: { $gt: 1 } }, ['bob']],
      [{ 'people.age': 30 }, []],
      [{ toString: { $exists: true } }, []],
    ])('L18: filter %j finds %j', async (filter, found) => {
      expect(keys(await (await filled()).search(['people'], { filter: { ...filter } }))).toEqual(found)
    })

    test.each<[object, RegExp]>([
      [{ age: { $like: 1 } }, /filter\.age: unknown operator "\$like"; expected one of \$eq, \$ne/],
      [{ $or: [] }, /unknown operator "\$or"/],
      [{ age: { $gt: 1, other: 2 } }, /got the field "other" beside \$gt/],
      [{ age: { $in: 1 } }, /filter\.age\.\$in: expected an array, got 1/],
      [{ age: { $exists: 'yes' } }, /expected true or false/],
      [{ age: { $gt: null } }, /expected a number, a string, a bigint or a Date, got null/],
    ])('L18: filter %j is a ConfigError', async (filter, message) => {
      const store = await filled()
      await expect(store.search([], { filter: { ...filter } })).rejects.toThrow(message)
      await expect(store.search([], { filter: { ...filter } })).rejects.toThrow(ConfigError)
    })

    test('pages are stable: by namespace and key, 10 by default', async () => {
      const store = await fresh()
      for (let index = 0; index < 25; index++) {
        await store.put([index % 2 ? 'b' : 'a'], String(index).padStart(2, '0'), index)
      }
      const all = await store.search([], { limit: 100 })
      const order = all.map(({ namespace, key }) => `${namespace[0]}${key}`)
      expect(order).toEqual([...order].sort())
      expect(keys(await store.search([]))).toEqual(keys(all.slice(0, 10)))
      expect(keys(await store.search([], { limit: 7, offset: 7 }))).toEqual(keys(all.slice(7, 14)))
      expect(await store.search([], { offset: 30 })).toEqual([])
      await expect(store.search([], { limit: -1 })).rejects.toThrow(ConfigError)
    })
  })

  describe(`${name}: listNamespaces and batch`, () => {
    test('lists by prefix, suffix and depth, distinct after the cut', async () => {
      const store = await fresh()
      for (const place of [['a', 'x', 'end'], ['a', 'y', 'end'], ['a'], ['b', 'x']]) await store.put(place, 'k', 1)
      expect(await store.listNamespaces()).toEqual([['a'], ['a', 'x', 'end'], ['a', 'y', 'end'], ['b', 'x']])
      expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([['a'], ['b']])
      expect(await store.listNamespaces({ prefix: ['a'], suffix: ['end'] })).toEqual([
        ['a', 'x', 'end'],
        ['a', 'y', 'end'],
      ])
      expect(await store.listNamespaces({ maxDepth: 1, limit: 1, offset: 1 })).toEqual([['b']])
    })

    test('L18: batch runs in order, one result per operation', async () => {
      const store = await fresh()
      const results = await store.batch([
        { type: 'put', namespace: ['a'], key: 'k', value: 1 },
        { type: 'get', namespace: ['a'], key: 'k' },
        { type: 'delete', namespace: ['a'], key: 'k' },
        { type: 'get', namespace: ['a'], key: 'k' },
        { type: 'search', prefix: [] },
        { type: 'listNamespaces' },
      ])
      expect(results).toMatchObject([undefined, { value: 1 }, undefined, null, [], []])
      expect(results).toHaveLength(6)
      await expect(store.batch([{ type: 'drop' } as never])).rejects.toThrow(ConfigError)
    })
  })

  test(`${name}: does what a plain Map does`, async () => {
    const label = fc.constantFrom('a', 'b', 'a/b', '%', '', 'é', '__proto__')
    const place = fc.record({ ns: fc.array(label, { minLength: 1, maxLength: 3 }), key: label })
    const step = fc.oneof(
      fc.record({ type: fc.constant('put' as const), at: place, value: fc.jsonValue() }),
      fc.record({ type: fc.constant('delete' as const), at: place }),
      fc.record({ type: fc.constant('get' as const), at: place }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.array(label, { maxLength: 2 }), async (steps, prefix) => {
        const store = await fresh()
        const model = new Map<string, unknown>()
        for (const one of steps) {
          const { ns, key } = one.at
          const id = JSON.stringify([ns, key])
          if (one.type === 'put') {
            // Refused; shown above.
            if (/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(one.value))) continue
            await store.put(ns, key, one.value)
            model.set(id, one.value)
          } else if (one.type === 'delete') {
            await store.delete(ns, key)
            model.delete(id)
          } else {
            const item = await store.get(ns, key)
            expect(item === null ? undefined : item.value).toEqual(model.get(id))
          }
        }
        const found = await store.search(prefix, { limit: 1000 })
        const expected = [...model].filter(([id]) => {
          const [ns] = JSON.parse(id) as [string[], string]
          return prefix.every((one, index) => ns[index] === one)
        })
        expect(new Map(found.map(({ namespace, key, value }) => [JSON.stringify([namespace, key]), value]))).toEqual(
          new Map(expected),
        )
      }),
      { numRuns: 60 },
    )
  })
}
