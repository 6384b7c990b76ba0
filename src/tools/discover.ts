import { tagOn, toolOf } from './decorator.js'
import { type AnyTool, isTool } from './tool.js'

/** A tool that was found on an object, and where. */
export interface Found {
  readonly tool: AnyTool
  /** E.g. `Weather.getWeather`. */
  readonly owner: string
}

/**
 * Finds the tools of an object: own fields first, then along its prototypes, nearest first, in the order of declaration.
 * Marked methods are bound to the object; one that overrides a marked method without a mark keeps the base's. Own fields
 * may hold a tool, or a record or array of tools. For a class, its statics. Accessors are skipped, never called.
 */
export function toolsOf(object: object): Found[] {
  const place = nameOf(object)
  const places = new Map<PropertyKey, { readonly value: unknown; tag: ReturnType<typeof tagOn> }>()
  const hidden = new Set<PropertyKey>()
  for (const level of levelsOf(object)) {
    for (const key of Reflect.ownKeys(level)) {
      if (key === 'constructor' || hidden.has(key)) continue
      const descriptor = Reflect.getOwnPropertyDescriptor(level, key)
      if (descriptor === undefined) continue
      const known = places.get(key)
      if (!('value' in descriptor)) {
        if (known === undefined) hidden.add(key)
      } else if (known === undefined) {
        places.set(key, { value: descriptor.value, tag: tagOn(descriptor.value) })
      } else if (typeof known.value === 'function') known.tag ??= tagOn(descriptor.value)
    }
  }
  return [...places].flatMap(([key, { value, tag }]) => {
    const owner = `${place}.${String(key)}`
    if (tag !== undefined && typeof value === 'function') return [{ tool: toolOf(tag, value, object), owner }]
    return Object.hasOwn(object, key) ? heldIn(value).map((tool) => ({ tool, owner })) : []
  })
}

function levelsOf(object: object): object[] {
  const levels: object[] = []
  for (let level: object | null = object; level !== null; level = Reflect.getPrototypeOf(level)) {
    if (level === Object.prototype || level === Function.prototype) break
    levels.push(level)
  }
  return levels
}

const nameOf = (object: object): string => {
  if (typeof object === 'function') return object.name || 'class'
  for (const level of levelsOf(object)) {
    // By descriptor, as a `constructor` may be an accessor.
    const maker: unknown = Reflect.getOwnPropertyDescriptor(level, 'constructor')?.value
    if (typeof maker === 'function' && maker.name !== '') return maker.name
  }
  return 'object'
}

/** The tools that a field holds: itself, or all values of a plain record or an array. */
function heldIn(value: unknown): readonly AnyTool[] {
  if (isTool(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  const prototype = Reflect.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return []
  const held = Object.values(Object.getOwnPropertyDescriptors(value))
    .filter((descriptor) => descriptor.enumerable)
    .map((descriptor): unknown => descriptor.value)
  return held.length > 0 && held.every(isTool) ? held : []
}
