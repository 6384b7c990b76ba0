import { REDACTED } from './secret.js'

const MIN_LENGTH = 4
const MIN_BASE64 = 6

/**
 * Knows the secrets of one run and takes them out of what leaves. Costs one comparison while there are none. Finds a
 * value as it is, in base64 (any alignment, both alphabets), URL-encoded, and as JSON writes it.
 */
export class Scrubber {
  readonly #forms = new Set<string>()
  #pattern: RegExp | undefined
  #stale = false

  /** Whether there is nothing to take out. */
  get empty(): boolean {
    return this.#forms.size === 0
  }

  /** Adds a secret: a text, or all texts inside a value. Texts shorter than 4 characters are passed over. */
  add(secret: unknown): void {
    const before = this.#forms.size
    collect(secret, this.#forms, new Set())
    if (this.#forms.size !== before) this.#stale = true
  }

  /** The text without secrets; the same text if it holds none. */
  text(text: string): string {
    const pattern = this.#current()
    return pattern === undefined ? text : text.replace(pattern, REDACTED)
  }

  /**
   * The value without secrets: texts in arrays, plain objects (their keys too), maps and sets, at every depth. A changed
   * copy, or the same object if it holds none. Instances of classes are left as they are.
   */
  scrub<T>(value: T): T {
    return this.empty ? value : (this.#deep(value, new Map()) as T)
  }

  /**
   * Takes secrets out of an error in place, as it reaches the caller as the same object: out of its message, its stack,
   * its causes and its own fields. What is not writable stays.
   */
  error<T>(error: T): T {
    try {
      if (!this.empty) this.#inError(error, new Set())
    } catch {
      // A hostile proxy: nobody reads it.
    }
    return error
  }

  #inError(error: unknown, seen: Set<object>): void {
    if (!(error instanceof Error) || seen.has(error)) return
    seen.add(error)
    for (const key of new Set(['message', 'stack', 'cause', ...Object.keys(error)])) {
      const value: unknown = Reflect.get(error, key)
      if (value instanceof Error) this.#inError(value, seen)
      const clean = this.scrub(value)
      if (clean !== value) Reflect.set(error, key, clean)
    }
  }

  #current(): RegExp | undefined {
    if (this.#stale) {
      // The longest first: a short secret may be the start of a longer one.
      const forms = [...this.#forms].sort((a, b) => b.length - a.length)
      this.#pattern = new RegExp(forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'), 'g')
      this.#stale = false
    }
    return this.#pattern
  }

  #deep(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    seen.set(value, value)
    const copy = this.#copy(value, seen)
    seen.set(value, copy)
    return copy
  }

  #copy(value: object, seen: Map<object, unknown>): unknown {
    if (Array.isArray(value)) return this.#list(value, seen) ?? value
    if (value instanceof Map) {
      const entries = this.#list([...value], seen)
      return entries === undefined ? value : new Map(entries as [unknown, unknown][])
    }
    if (value instanceof Set) {
      const items = this.#list([...value], seen)
      return items === undefined ? value : new Set(items)
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return value
    const entries = this.#list(Object.entries(value), seen)
    return entries === undefined ? value : Object.fromEntries(entries as [string, unknown][])
  }

  /** The changed items, or nothing if none changed. */
  #list(list: readonly unknown[], seen: Map<object, unknown>): unknown[] | undefined {
    let changed = false
    const items = list.map((item) => {
      const next = this.#deep(item, seen)
      changed ||= next !== item
      return next
    })
    return changed ? items : undefined
  }
}

function collect(value: unknown, forms: Set<string>, seen: Set<object>): void {
  if (typeof value === 'string') addForms(value, forms)
  else if (typeof value === 'number' || typeof value === 'bigint') addForms(String(value), forms)
  else if (typeof value === 'object' && value !== null && !seen.has(value)) {
    seen.add(value)
    for (const item of Object.values(value)) collect(item, forms, seen)
  }
}

function addForms(text: string, forms: Set<string>): void {
  if (text.trim().length < MIN_LENGTH) return
  forms.add(text)
  const inJson = JSON.stringify(text)
  forms.add(inJson.slice(1, -1))
  // JSON inside JSON, as a tool that returns a request's body makes it.
  forms.add(JSON.stringify(inJson).slice(3, -3))
  for (const form of base64Forms(text)) forms.add(form)
  const url = new URLSearchParams([['', text]]).toString().slice(1)
  forms.add(url)
  try {
    forms.add(encodeURIComponent(text))
  } catch {
    // A lone surrogate has no such form; the first one replaces it.
  }
}

/** The part of a base64 text that a secret alone decides, for each of the three places where it may begin. */
function* base64Forms(text: string): Generator<string> {
  const bytes = new TextEncoder().encode(text)
  for (let before = 0; before < 3; before++) {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const whole = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(''))
    const form = whole.slice(Math.ceil((before * 4) / 3), Math.floor((padded.length * 4) / 3))
    if (form.length < MIN_BASE64) continue
    yield form
    yield form.replaceAll('+', '-').replaceAll('/', '_')
  }
}
