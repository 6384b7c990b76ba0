import { ConfigError } from './errors.js'
import type { KindOf } from './kind.js'
import { type AnyMiddleware, checkDefinition, type Middleware } from './middleware.js'

/**
 * Nests a stack and keeps its name: the parts appear as `name/part`, and may stand in other stacks under theirs.
 *
 * @example
 * compose('guards', [redact, limit])
 */
export function compose<const M extends readonly AnyMiddleware[]>(name: string, middleware: M): Middleware<KindOf<M>> {
  if (!Array.isArray(middleware)) throw new ConfigError(`compose("${name}"): expected a list of middleware`)
  const definition = { name, stack: middleware }
  checkDefinition(definition, 'compose()')
  return definition
}
