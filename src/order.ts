import { ConfigError } from './errors.js'
import type { Placed } from './middleware.js'

const listOf = (names: string | readonly string[] | undefined): readonly string[] =>
  names === undefined ? [] : typeof names === 'string' ? [names] : names

/** The name by which others speak of a middleware in a nested stack: its own, without the stack's. */
const isNamed = ({ name, definition }: Placed, wanted: string): boolean => name === wanted || definition.name === wanted

/** Checks the order that middleware ask for. @throws ConfigError saying what to swap. */
export function checkOrder(list: readonly Placed[]): void {
  const at = (index: number): string => `middleware "${list[index]?.name}" (position ${index + 1})`
  for (const [index, { definition }] of list.entries()) {
    for (const [other, placed] of list.entries()) {
      if (index > other && listOf(definition.before).some((wanted) => isNamed(placed, wanted))) {
        throw new ConfigError(`${at(index)} must be outside "${placed.name}" (position ${other + 1}): swap them`)
      }
      if (index < other && listOf(definition.after).some((wanted) => isNamed(placed, wanted))) {
        throw new ConfigError(`${at(index)} must be inside "${placed.name}" (position ${other + 1}): swap them`)
      }
    }
    if (definition.outermost && index > 0)
      throw new ConfigError(`${at(index)} must be the outermost: move it to the front of the list`)
    if (definition.innermost && index < list.length - 1)
      throw new ConfigError(`${at(index)} must be the innermost: move it to the end of the list`)
  }
}
