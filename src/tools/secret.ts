/** What stands in place of a secret. */
export const REDACTED = '[redacted]'

const BRAND = Symbol.for('cepa.secret')
const FACTORY: unique symbol = Symbol.for('cepa.secret.factory')
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** A value that prints as `[redacted]` in every form and opens with `.reveal()`. */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
    Object.defineProperties(this, { [BRAND]: { value: true }, [INSPECT]: { value: () => REDACTED } })
    Object.freeze(this)
  }

  /** The value itself. What leaves the call is still scrubbed of it. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  [Symbol.toPrimitive](): string {
    return REDACTED
  }
}

/**
 * Makes a {@link Secret} for each call; what `inject` takes. An intersection, since TypeScript puts a generic call that
 * gives a plain function type off until it is too late to infer `runtime.deps` from it.
 */
export type SecretFactory<T = string> = (() => Secret<T> | Promise<Secret<T>>) & { readonly [FACTORY]: true }

/**
 * A secret for a tool's `inject`: a function, read at each call, so that keys rotate without a restart; or a fixed
 * value. It arrives in `runtime.deps` as a {@link Secret}. Its value is scrubbed from what the call lets out, also in
 * base64, URL-encoded and JSON form. Values shorter than 4 characters are not: they would hit too much else. A source
 * that gives nothing is a `ConfigError` at the call, which names the tool and the dependency.
 *
 * @example
 * tool(fetchOrders, { description: '…', inject: { apiKey: secret(() => process.env.SHOP_KEY) } })
 */
export function secret<T>(source: (() => T | Promise<T>) | T): SecretFactory<NonNullable<T>> {
  const read = typeof source === 'function' ? (source as () => T | Promise<T>) : () => source
  const make = (): Secret<NonNullable<T>> | Promise<Secret<NonNullable<T>>> => {
    const value = read()
    return value instanceof Promise ? value.then(sealed) : sealed(value)
  }
  return Object.freeze(Object.assign(make, { [FACTORY]: true as const }))
}

// A missing value is noticed where the names of the tool and the dependency are known.
const sealed = <T>(value: T): Secret<NonNullable<T>> => new Secret(value as NonNullable<T>)

/** Tells whether a value is a {@link Secret}, also of another copy of the package. */
export const isSecret = (value: unknown): value is Secret<unknown> =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
