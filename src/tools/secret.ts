const REDACTED = '[redacted]'

/** Shorter values are not scrubbed: they would turn up in ordinary text. */
const SHORTEST = 4

/** A value that does not show: it prints as `[redacted]` in text, JSON and inspection, and opens with `reveal()`. */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), { value: () => REDACTED })
  }

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
 * Makes an `inject` entry that arrives as a {@link Secret}. The function is read per call, so keys rotate without a
 * restart. Its value is scrubbed from whatever leaves the run: messages, events, errors; values of fewer than four
 * characters are not.
 *
 * @example
 * tool(fn, { …, inject: { apiKey: secret(() => process.env.KEY) } })
 */
export const secret =
  <T>(value: () => T | Promise<T>): (() => Secret<T> | Promise<Secret<T>>) =>
  () => {
    const given = value()
    return given instanceof Promise ? given.then((inner) => new Secret(inner)) : new Secret(given)
  }

/** The secrets that a run knows, and how they are taken out of what leaves it. */
export class Scrubber {
  #forms: Set<string> | undefined

  /** Remembers a secret, also as base64, URL-encoded and escaped for JSON. */
  add(value: unknown): void {
    if (typeof value !== 'string' || value.length < SHORTEST) return
    this.#forms ??= new Set()
    for (const form of [value, JSON.stringify(value).slice(1, -1), urlForm(value), base64(value)])
      if (form.length >= SHORTEST) this.#forms.add(form)
  }

  /** A value without the known secrets; the same object where none is in it. */
  scrub<T>(value: T): T {
    return this.#forms === undefined ? value : (this.#clean(value, new Set()) as T)
  }

  #clean(value: unknown, above: Set<object>): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value !== 'object' || value === null || above.has(value)) return value
    const isArray = Array.isArray(value)
    const prototype: unknown = Object.getPrototypeOf(value)
    if (!isArray && prototype !== Object.prototype && prototype !== null) return value
    above.add(value)
    let changed = false
    const entries = Object.entries(value).map(([key, item]) => {
      const clean = this.#clean(item, above)
      changed ||= clean !== item
      return [key, clean] as const
    })
    above.delete(value)
    if (!changed) return value
    return isArray ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  }

  #text(text: string): string {
    let clean = text
    for (const form of this.#forms ?? []) if (clean.includes(form)) clean = clean.replaceAll(form, REDACTED)
    return clean
  }
}

const urlForm = (value: string): string => {
  try {
    return encodeURIComponent(value)
  } catch {
    return value
  }
}

const base64 = (value: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(value))).replace(/=+$/, '')
