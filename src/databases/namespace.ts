import { got, StateError } from '../errors.js'

/**
 * Writes labels as one text, so that no two namespaces share it and a prefix of labels is a prefix of the text: in each
 * label `%`, `/` and NUL are percent-escaped, a lone surrogate becomes `%u` and four digits, and each label ends with
 * `/`. No case folding, no Unicode normalisation.
 */
export const namespaceText = (labels: readonly string[]): string =>
  labels.map((label) => `${escapeLabel(label)}/`).join('')

/** A key as a database has it: escaped as a label is. */
export const escapeLabel = (label: string): string =>
  label.replace(UNSAFE, (found) => ESCAPES[found] ?? surrogate(found))

const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '/': '%2F', '\0': '%00' }
const UNSAFE = /[%/\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const surrogate = (found: string): string => `%u${found.charCodeAt(0).toString(16)}`

/** Order by code point, which is that of UTF-8 and of a binary collation, where code units have another. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const sign = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index))
    if (sign !== 0) return sign
  }
  return a.length - b.length
}

/** Moves surrogates behind all other code units. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Checks a namespace, which is empty only as a prefix. @throws StateError that names the label. */
export function checkNamespace(labels: unknown, what: string, mayBeEmpty = false): asserts labels is readonly string[] {
  if (!Array.isArray(labels)) throw new StateError(`${what}: expected an array of strings, got ${got(labels)}`)
  if (labels.length === 0 && !mayBeEmpty) {
    throw new StateError(`${what}: expected at least one label, got an empty array`)
  }
  for (let index = 0; index < labels.length; index++) {
    const label: unknown = labels[index]
    if (typeof label !== 'string') throw new StateError(`${what}[${index}]: expected a string, got ${got(label)}`)
  }
}

/** Checks a key. @throws StateError */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string') throw new StateError(`key: expected a string, got ${got(key)}`)
}
