import type { JsonSchema } from '../models/model.js'
import { follow, isObject, mapSubSchemas, pointerOf, type SubSchema, schemaError, without } from './json-schema.js'
import { ANNOTATIONS, merged } from './json-schema-merge.js'

/** A schema that inlining makes larger than this is refused: what refers to itself twice a level doubles each time. */
const MAX_NODES = 20_000

/**
 * Makes a schema self-contained. What does not recurse is put where it is used, with the description of each use; what
 * recurses is referred to as `#` or `#/$defs/…`.
 *
 * @throws {ConfigError} where a reference leads out of the schema or nowhere, or where inlining would not end.
 */
export function selfContained(schema: JsonSchema, subject: string): JsonSchema {
  const target = (reference: string): { id: string; node: SubSchema; pointer: readonly string[] } => {
    const pointer = pointerOf(reference)
    if (pointer === undefined) {
      throw schemaError(
        subject,
        `refers to ${JSON.stringify(reference)}: expected a reference inside the schema ("#" or "#/$defs/…"). ` +
          'Nothing is fetched: put the referenced schema into $defs',
      )
    }
    const node = follow(schema, pointer)
    if (node === undefined) {
      throw schemaError(subject, `refers to ${JSON.stringify(reference)}, but nothing is there`)
    }
    return { id: JSON.stringify(pointer), node, pointer }
  }

  // A root that is only a reference is the definition that it names; references to either are then references to '#'.
  const roots = new Set([JSON.stringify([])])
  let root: JsonSchema = schema
  while (typeof root.$ref === 'string') {
    const { id, node } = target(root.$ref)
    if (roots.has(id) || !isObject(node)) break
    roots.add(id)
    root = withSiblings(without(root, '$ref', '$defs', 'definitions'), node)
  }

  const recursive = recursivePointers(schema, (reference) => target(reference), roots)
  const names = new Map<string, string>()
  const definitions = new Map<string, SubSchema>()
  const nameOf = (id: string, pointer: readonly string[]): string => {
    const known = names.get(id)
    if (known !== undefined) return known
    const wanted = pointer.at(-1) ?? 'schema'
    const taken = new Set(names.values())
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
    names.set(id, name)
    return name
  }

  let nodes = 0
  const expand = (node: SubSchema): SubSchema => {
    if (++nodes > MAX_NODES) {
      throw schemaError(
        subject,
        `has more than ${MAX_NODES} parts when its references are written out: make it smaller`,
      )
    }
    if (!isObject(node)) return node
    if (typeof node.$ref !== 'string') return mapSubSchemas(without(node, '$defs', 'definitions'), expand)
    const siblings = mapSubSchemas(without(node, '$ref', '$defs', 'definitions'), expand)
    const { id, node: aim, pointer } = target(node.$ref)
    if (roots.has(id)) return { $ref: '#', ...siblings }
    if (!recursive.has(id)) {
      const whole = expand(aim)
      return isObject(whole) ? withSiblings(siblings, whole) : isObject(aim) ? siblings : whole && siblings
    }
    const isNew = !names.has(id)
    const name = nameOf(id, pointer)
    if (isNew) definitions.set(name, expand(aim))
    return { $ref: `#/$defs/${escaped(name)}`, ...siblings }
  }

  const body = expand(root)
  if (!isObject(body)) return {}
  return definitions.size === 0 ? body : { ...body, $defs: Object.fromEntries(definitions) }
}

const escaped = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

function withSiblings(siblings: JsonSchema, whole: JsonSchema): JsonSchema {
  if (Object.keys(siblings).length === 0) return whole
  const one = merged(siblings, whole)
  if (one !== undefined) return one
  const notes = Object.fromEntries(Object.entries(siblings).filter(([key]) => ANNOTATIONS.has(key)))
  return { ...notes, allOf: [whole, without(siblings, ...Object.keys(notes))] }
}

/** The definitions from which a chain of references leads back to themselves, without passing the root. */
function recursivePointers(
  schema: JsonSchema,
  target: (reference: string) => { id: string; node: SubSchema },
  roots: ReadonlySet<string>,
): ReadonlySet<string> {
  const edges = new Map<string, ReadonlySet<string>>()
  const visit = (node: SubSchema): ReadonlySet<string> => {
    const found = new Set<string>()
    const walk = (inner: SubSchema): SubSchema => {
      if (!isObject(inner)) return inner
      if (typeof inner.$ref === 'string') {
        const { id, node: aim } = target(inner.$ref)
        if (!roots.has(id)) {
          found.add(id)
          if (!edges.has(id)) {
            edges.set(id, new Set())
            edges.set(id, visit(aim))
          }
        }
      }
      mapSubSchemas(without(inner, '$defs', 'definitions'), walk)
      return inner
    }
    walk(node)
    return found
  }
  visit(schema)
  const reaches = (from: string, seen: Set<string>): Set<string> => {
    for (const next of edges.get(from) ?? []) {
      if (!seen.has(next)) reaches(next, seen.add(next))
    }
    return seen
  }
  return new Set([...edges.keys()].filter((id) => reaches(id, new Set()).has(id)))
}
