import type { OutputUnit, SchemaDraft, Validator } from '@cfworker/json-schema'
import { got, type Issue } from '../errors.js'
import { late } from '../internal/late.js'
import type { Validation } from '../internal/standard-schema.js'
import type { JsonSchema } from '../models/model.js'
import { messageOfCause, pointerOf, schemaError, someSchema } from './json-schema.js'
import { withoutPrototypeKeys } from './schema-values.js'

const validation = late(() => import('@cfworker/json-schema'))

/**
 * Makes the check of a value by a JSON Schema, which it marks. Of a cascade of misfits only the causes are reported. The
 * package that validates is loaded by the first check.
 *
 * @throws {ConfigError} from the check, for a schema that the validator cannot read.
 */
export function createJsonCheck(
  schema: JsonSchema,
  subject: string,
): (value: unknown) => Validation | Promise<Validation> {
  let check: Validator | undefined
  return (value) =>
    validation((library) => {
      check ??= validatorOf(library, schema, subject)
      return checked(check, withoutPrototypeKeys(value))
    })
}

function checked(check: Validator, value: unknown): Validation {
  const by = (json: unknown): Validation => {
    const { valid, errors } = check.validate(json)
    return valid ? { value } : { issues: unique(causes(errors).map(toIssue)) }
  }
  try {
    return by(value)
  } catch {
    // The validator throws at what JSON has not, e.g. `undefined`; in JSON such a key is absent.
  }
  try {
    return by(JSON.parse(JSON.stringify(value)))
  } catch {
    return { issues: [{ path: '', message: `expected a JSON value, got ${got(value)}` }] }
  }
}

type Library = typeof import('@cfworker/json-schema')

function validatorOf({ Validator }: Library, schema: JsonSchema, subject: string): Validator {
  try {
    return new Validator(schema, draftOf(schema), false)
  } catch (cause) {
    throw schemaError(subject, `cannot be read: ${messageOfCause(cause)}`, cause)
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
  const path = pointerOf(instanceLocation) ?? []
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
