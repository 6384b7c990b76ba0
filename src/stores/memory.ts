import { type Matcher, matcher } from '../databases/filter.js'
import { byCodePoint, checkKey, checkNamespace, escapeLabel, namespaceText } from '../databases/namespace.js'
import { storedCopy } from '../databases/stored-value.js'
import { ConfigError, ConflictError, got } from '../errors.js'
import type { Item, ListOptions, PutOptions, SearchOptions, Store, StoreOperation } from './store.js'

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** What the time is. @default () => new Date() */
  readonly clock?: () => Date
  /** Time to live of what is put without its own, in milliseconds. @default none */
  readonly ttlMs?: number
  /** Whether `get` and `search` start the time to live of what they find anew. @default false */
  readonly refreshOnRead?: boolean
}

/**
 * A store in memory, for tests and for what may be lost. Values are copied in and out; expired items are invisible and
 * are swept as writes go on. Without an index, so that a search with `query` is a `ConfigError`.
 *
 * @example
 * createAgent({ model, store: memoryStore() })
 * @throws ConfigError for a wrong option
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  for (const key of Object.keys(options)) {
    if (key !== 'clock' && key !== 'ttlMs' && key !== 'refreshOnRead') {
      throw new ConfigError(`memoryStore(): unknown option "${key}"; expected clock, ttlMs or refreshOnRead`)
    }
  }
  const { clock, ttlMs, refreshOnRead } = options
  if (clock !== undefined && typeof clock !== 'function') {
    throw new ConfigError(`memoryStore(): expected clock to be a function () => Date, got ${got(clock)}`)
  }
  if (ttlMs !== undefined) checkTtl(ttlMs, 'memoryStore(): ttlMs')
  if (refreshOnRead !== undefined && typeof refreshOnRead !== 'boolean') {
    throw new ConfigError(`memoryStore(): expected refreshOnRead to be true or false, got ${got(refreshOnRead)}`)
  }
  return new MemoryStore(options)
}

function checkTtl(ttlMs: unknown, subject: string): void {
  if (typeof ttlMs !== 'number' || !(ttlMs > 0)) {
    throw new ConfigError(`${subject}: expected a number of milliseconds above 0, got ${got(ttlMs)}`)
  }
}

interface Entry {
  readonly namespace: readonly string[]
  readonly key: string
  /** Namespace and key as texts: the order of pages. */
  readonly place: readonly [string, string]
  readonly value: unknown
  readonly version: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number | undefined
  expiresAt: number
}

const SWEEP_EVERY = 100

class MemoryStore implements Store {
  readonly #now: () => number
  readonly #ttlMs: number | undefined
  readonly #refreshOnRead: boolean
  readonly #spaces = new Map<string, Map<string, Entry>>()
  // Never used twice, so that what was deleted and made anew has another version.
  #version = 0

  constructor({ clock = () => new Date(), ttlMs, refreshOnRead = false }: MemoryStoreOptions) {
    this.#now = () => clock().getTime()
    this.#ttlMs = ttlMs
    this.#refreshOnRead = refreshOnRead
  }

  async get<T = unknown>(namespace: readonly string[], key: string): Promise<Item<T> | null> {
    const entry = this.#find(namespace, key)
    if (entry === undefined) return null
    this.#refresh(entry)
    return itemOf<T>(entry)
  }

  async put(namespace: readonly string[], key: string, value: unknown, options: PutOptions = {}): Promise<void> {
    const before = this.#find(namespace, key)
    if (options.ttlMs !== undefined) checkTtl(options.ttlMs, 'put(): ttlMs')
    checkVersion(before, options.ifVersion, namespace, key)
    const copy = storedCopy(value, 'value')
    const now = this.#now()
    const ttlMs = options.ttlMs ?? this.#ttlMs
    const text = namespaceText(namespace)
    const space = this.#spaces.get(text) ?? new Map<string, Entry>()
    this.#spaces.set(text, space)
    space.set(key, {
      namespace: [...namespace],
      key,
      place: [text, escapeLabel(key)],
      value: copy,
      version: String(++this.#version),
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
      ttlMs,
      expiresAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs,
    })
    if (this.#version % SWEEP_EVERY === 0) this.#sweep(now)
  }

  async delete(namespace: readonly string[], key: string, options: Pick<PutOptions, 'ifVersion'> = {}): Promise<void> {
    checkVersion(this.#find(namespace, key), options.ifVersion, namespace, key)
    this.#remove(namespaceText(namespace), key)
  }

  async search<T = unknown>(prefix: readonly string[], options: SearchOptions = {}): Promise<Item<T>[]> {
    checkNamespace(prefix, 'prefix', true)
    if (options.query !== undefined) {
      throw new ConfigError(
        'search(): query needs a store with an index, which memoryStore() has not; expected a filter',
      )
    }
    const { limit, offset } = page(options, 10)
    const passes: Matcher = options.filter === undefined ? () => true : matcher(options.filter)
    const start = namespaceText(prefix)
    const found = this.#live().filter(({ place, value }) => place[0].startsWith(start) && passes(value))
    return found
      .sort((a, b) => byCodePoint(a.place[0], b.place[0]) || byCodePoint(a.place[1], b.place[1]))
      .slice(offset, offset + limit)
      .map((entry) => {
        this.#refresh(entry)
        return itemOf<T>(entry)
      })
  }

  async listNamespaces(options: ListOptions = {}): Promise<string[][]> {
    const { prefix = [], suffix = [], maxDepth = Number.POSITIVE_INFINITY } = options
    checkNamespace(prefix, 'prefix', true)
    checkNamespace(suffix, 'suffix', true)
    if (!(maxDepth >= 1))
      throw new ConfigError(`listNamespaces(): expected maxDepth of at least 1, got ${got(maxDepth)}`)
    const { limit, offset } = page(options, Number.POSITIVE_INFINITY)
    const cut = new Map<string, string[]>()
    for (const { namespace, place } of this.#live()) {
      if (!place[0].startsWith(namespaceText(prefix)) || !endsWith(namespace, suffix)) continue
      const labels = namespace.slice(0, maxDepth)
      cut.set(namespaceText(labels), labels)
    }
    const sorted = [...cut].sort(([a], [b]) => byCodePoint(a, b)).map(([, labels]) => labels)
    return sorted.slice(offset, offset + limit)
  }

  async batch(operations: readonly StoreOperation[]): Promise<unknown[]> {
    if (!Array.isArray(operations)) throw new ConfigError(`batch(): expected an array, got ${got(operations)}`)
    const results: unknown[] = []
    for (const operation of operations) results.push(await this.#run(operation))
    return results
  }

  #run(operation: StoreOperation): Promise<unknown> {
    switch (operation.type) {
      case 'get':
        return this.get(operation.namespace, operation.key)
      case 'put':
        return this.put(operation.namespace, operation.key, operation.value, operation.options)
      case 'delete':
        return this.delete(operation.namespace, operation.key, operation.options)
      case 'search':
        return this.search(operation.prefix, operation.options)
      case 'listNamespaces':
        return this.listNamespaces(operation.options)
      default:
        throw new ConfigError(
          `batch(): expected type 'get', 'put', 'delete', 'search' or 'listNamespaces', got ${got((operation as { type?: unknown }).type)}`,
        )
    }
  }

  #find(namespace: readonly string[], key: string): Entry | undefined {
    checkNamespace(namespace, 'namespace')
    checkKey(key)
    const entry = this.#spaces.get(namespaceText(namespace))?.get(key)
    return entry !== undefined && entry.expiresAt > this.#now() ? entry : undefined
  }

  #live(): Entry[] {
    const now = this.#now()
    return [...this.#spaces.values()].flatMap((space) => [...space.values()].filter(({ expiresAt }) => expiresAt > now))
  }

  #refresh(entry: Entry): void {
    if (this.#refreshOnRead && entry.ttlMs !== undefined) entry.expiresAt = this.#now() + entry.ttlMs
  }

  #remove(text: string, key: string): void {
    const space = this.#spaces.get(text)
    space?.delete(key)
    if (space?.size === 0) this.#spaces.delete(text)
  }

  #sweep(now: number): void {
    for (const [text, space] of this.#spaces) {
      for (const { key, expiresAt } of space.values()) if (expiresAt <= now) this.#remove(text, key)
    }
  }
}

const itemOf = <T>({ namespace, key, value, version, createdAt, updatedAt }: Entry): Item<T> => ({
  namespace: [...namespace],
  key,
  value: storedCopy(value, 'value') as T,
  version,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
})

function checkVersion(
  entry: Entry | undefined,
  ifVersion: string | null | undefined,
  namespace: readonly string[],
  key: string,
): void {
  if (ifVersion === undefined || (entry?.version ?? null) === ifVersion) return
  const [expected, found] = [ifVersion, entry?.version ?? null].map((version) =>
    version === null ? 'no item' : `version ${got(version)}`,
  )
  throw new ConflictError(`${JSON.stringify([...namespace, key])}: expected ${expected}, got ${found}; read it again`)
}

function page(
  { limit, offset = 0 }: { limit?: number; offset?: number },
  usual: number,
): { limit: number; offset: number } {
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (value !== undefined && !(value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 0))) {
      throw new ConfigError(`${name}: expected a whole number from 0, got ${got(value)}`)
    }
  }
  return { limit: limit ?? usual, offset }
}

const endsWith = (labels: readonly string[], suffix: readonly string[]): boolean =>
  suffix.length <= labels.length &&
  suffix.every((label, index) => label === labels[labels.length - suffix.length + index])
