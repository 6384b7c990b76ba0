import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { got, type Issue } from '../errors.js'
import type { Validation } from '../internal/standard-schema.js'
import type { JsonSchema } from '../models/model.js'
import { isObject, mapSubSchemas, someSchema } from './json-schema.js'
import { unicodePattern } from './schema-patterns.js'

/**
 * Makes the check of a value by a plain JSON Schema, in full: formats, conditions, references. The schema is copied.
 * Of a cascade of misfits only the causes are reported.
 *
 * @throws {ConfigError} where a pattern is no regular expression.
 */
export function jsonSchemaValidator(schema: JsonSchema, subject: string): (value: unknown) => Validation {
  // The validator marks the schema that it is given, and a schema may be frozen.
  const copy = sound(JSON.parse(JSON.stringify(schema)), subject)
  const check = new Validator(copy, draftOf(copy), false)
  return (value) => {
    try {
      const { valid, errors } = check.validate(value)
      return valid ? { value } : { issues: unique(causes(errors).map(toIssue)) }
    } catch {
      return checkAsJson(check, value)
    }
  }
}

/** The validator throws at what JSON has not, e.g. `undefined`; in JSON such a key is absent. */
function checkAsJson(check: Validator, value: unknown): Validation {
  try {
    const { valid, errors } = check.validate(JSON.parse(JSON.stringify(value)))
    return valid ? { value } : { issues: unique(causes(errors).map(toIssue)) }
  } catch {
    return { issues: [{ path: '', message: `expected a JSON value, got ${got(value)}` }] }
  }
}

function draftOf(schema: JsonSchema): SchemaDraft {
  const named = typeof schema.$schema === 'string' ? schema.$schema : ''
  if (named.includes('draft-04')) return '4'
  if (named.includes('draft-07') || named.includes('draft-06')) return '7'
  if (named.includes('2019-09')) return '2019-09'
  // Unnamed, both forms of tuples are understood: lists of `items` are gone from 2020-12.
  return named.includes('2020-12') || someSchema(schema, (node) => 'prefixItems' in node) ? '2020-12' : '2019-09'
}

/** Takes out what peers send and the validator cannot read, and makes patterns those of a Unicode expression. */
function sound(node: JsonSchema, subject: string): JsonSchema {
  const out: Record<string, unknown> = {
    ...mapSubSchemas(node, (inner) => (isObject(inner) ? sound(inner, subject) : inner)),
  }
  for (const key of Object.keys(out)) {
    if (out[key] === null && key !== 'const' && key !== 'default') delete out[key]
  }
  if (typeof out.pattern === 'string') out.pattern = unicodePattern(out.pattern, subject)
  if (isObject(out.patternProperties)) {
    const entries = Object.entries(out.patternProperties).map(([key, inner]) => [unicodePattern(key, subject), inner])
    out.patternProperties = Object.fromEntries(entries)
  }
  return out
}

/** Of misfits that only say that something inside misfits, those inside. A parent comes right before its children. */
function causes(units: readonly OutputUnit[]): OutputUnit[] {
  const out: OutputUnit[] = []
  for (let index = 0; index < units.length; ) {
    const unit = units[index]!
    const end = endOfChildren(units, index)
    const children = units.slice(index + 1, end)
    if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') out.push(...closestBranch(unit, children))
    else if (children.length === 0 || isUnknownKey(unit, children)) out.push(unit)
    else out.push(...causes(children))
    index = end
  }
  return out
}

function endOfChildren(units: readonly OutputUnit[], index: number): number {
  const unit = units[index]!
  const base = unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf('/'))
  const inside = unit.keyword === 'if' ? [`${base}/then/`, `${base}/else/`] : [`${unit.keywordLocation}/`]
  let end = index + 1
  for (let next = units[end]; next !== undefined; next = units[++end]) {
    // A schema `false` gives the place of the value where others give that of the keyword; it follows its parent.
    const isInside = inside.some((start) => next?.keywordLocation.startsWith(start))
    if (!isInside && next.keyword !== 'false') break
  }
  return end
}

const isUnknownKey = (unit: OutputUnit, children: readonly OutputUnit[]): boolean =>
  unit.keyword !== 'properties' && children.every((child) => child.keyword === 'false')

/** What is wrong in the branch of a union that was most likely meant, if one of them was. */
function closestBranch(union: OutputUnit, children: readonly OutputUnit[]): OutputUnit[] {
  if (/\([2-9]\d* matches\)|\(1\d+ matches\)/.test(union.error)) return [union]
  const branches = new Map<string, OutputUnit[]>()
  let branch = ''
  for (const child of children) {
    if (child.keyword !== 'false')
      branch = child.keywordLocation.slice(union.keywordLocation.length + 1).split('/')[0] ?? ''
    branches.set(branch, [...(branches.get(branch) ?? []), child])
  }
  const isMismatch = (unit: OutputUnit) =>
    unit.keyword === 'const' || (unit.keyword === 'type' && unit.instanceLocation === union.instanceLocation)
  const meant = [...branches.values()].map(causes).filter((branch) => !branch.some(isMismatch))
  return meant.sort((a, b) => a.length - b.length)[0] ?? [union]
}

const unique = (issues: readonly Issue[]): Issue[] => [
  ...new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue])).values(),
]

function toIssue({ keyword, instanceLocation, error }: OutputUnit): Issue {
  const path = instanceLocation
    .split('/')
    .slice(1)
    .map((part) => decodePart(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  const quoted = /"([^"]*)"/.exec(error)?.[1] ?? ''
  if (keyword === 'required') return { path: [...path, quoted].join('.'), message: 'is required, but missing' }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return { path: [...path, quoted].join('.'), message: 'is not a known key' }
  }
  if (keyword === 'type') {
    const expected = error.slice(error.indexOf('Expected') + 9, -1).replaceAll('"', '')
    return { path: path.join('.'), message: `expected ${expected}, got ${quoted}` }
  }
  if (keyword === 'anyOf' || keyword === 'oneOf') {
    const many = /\((\d+) matches\)/.exec(error)?.[1] ?? '0'
    return {
      path: path.join('.'),
      message: `expected one of the alternatives, and it fits ${many === '0' ? 'none' : many}`,
    }
  }
  return { path: path.join('.'), message: error.replace(/^Instance /, 'value ').replace(/\.$/, '') }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
