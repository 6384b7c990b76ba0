/** One thing that a store holds. Values are copies: changing one changes nothing stored. */
export interface Item<T = unknown> {
  readonly namespace: readonly string[]
  readonly key: string
  readonly value: T
  /** Opaque, and new on every write. */
  readonly version: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Nearness to the query, where one was given. */
  readonly score?: number
}

/** Conditions of a write. */
export interface PutOptions {
  /** Time to live, in milliseconds. */
  readonly ttlMs?: number
  /** The version that the item must have; `null`: it must not exist. Otherwise a `ConflictError`. */
  readonly ifVersion?: string | null
}

/** A search below a namespace prefix; pages are in order of namespace and key. */
export interface SearchOptions {
  /** Top-level fields of the value: equality, or `$eq $ne $gt $gte $lt $lte $in $nin $exists`. */
  readonly filter?: Readonly<Record<string, unknown>>
  readonly query?: string
  /** @default 10 */
  readonly limit?: number
  /** @default 0 */
  readonly offset?: number
}

/** Which namespaces to list. */
export interface ListOptions {
  readonly prefix?: readonly string[]
  readonly suffix?: readonly string[]
  readonly maxDepth?: number
  readonly limit?: number
  readonly offset?: number
}

/** One operation of a batch, as data. */
export type StoreOperation =
  | { readonly type: 'get'; readonly namespace: readonly string[]; readonly key: string }
  | {
      readonly type: 'put'
      readonly namespace: readonly string[]
      readonly key: string
      readonly value: unknown
      readonly options?: PutOptions
    }
  | {
      readonly type: 'delete'
      readonly namespace: readonly string[]
      readonly key: string
      readonly options?: Pick<PutOptions, 'ifVersion'>
    }
  | { readonly type: 'search'; readonly prefix: readonly string[]; readonly options?: SearchOptions }
  | { readonly type: 'listNamespaces'; readonly options?: ListOptions }

/**
 * Long-term memory over threads: namespace, key, value. Labels of a namespace are any strings, kept apart
 * injectively; a label or key that is not a string is a `StateError`, an unknown filter operator a `ConfigError`.
 */
export interface Store {
  get<T = unknown>(namespace: readonly string[], key: string): Promise<Item<T> | null>
  put(namespace: readonly string[], key: string, value: unknown, options?: PutOptions): Promise<void>
  delete(namespace: readonly string[], key: string, options?: Pick<PutOptions, 'ifVersion'>): Promise<void>
  search<T = unknown>(prefix: readonly string[], options?: SearchOptions): Promise<Item<T>[]>
  listNamespaces(options?: ListOptions): Promise<string[][]>
  /** In order, one result per operation. */
  batch(operations: readonly StoreOperation[]): Promise<unknown[]>
}
