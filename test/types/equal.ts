/** `true` if two types are the same, also in what is optional and read-only. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only for `true`. */
export type Expect<T extends true> = T
