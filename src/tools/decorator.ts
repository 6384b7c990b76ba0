import { ConfigError, got } from '../errors.js'
import type { ToolRuntime } from '../runtime.js'
import { type AnyTool, define, type ToolBody, type ToolOptions } from './tool.js'
import { checkOptions } from './tool-options.js'

// Neither Node 20 nor Node 24 has it, and without it a compiler writes no metadata. It must be there before a decorated
// class is evaluated, hence in the module that such a class imports the decorator from.
const WellKnown = Symbol as { -readonly [P in 'metadata']?: symbol }
WellKnown.metadata ??= Symbol.for('Symbol.metadata')

const TAG = Symbol.for('cepa.functionTool')
const METADATA = Symbol.for('cepa.functionTools')

/** Options of {@link functionTool}: as of `tool`, all of them optional. The name is the method's by default. */
export type FunctionToolOptions<S = undefined> = Partial<ToolOptions<string, S>>

type Method<S> = ToolBody<S, ToolRuntime>

/** Marks a method as a tool. */
export type FunctionToolDecorator<S> = <M extends Method<S>>(method: M, context: ClassMethodDecoratorContext) => M

interface Tag {
  readonly options: FunctionToolOptions
  readonly name: string
}

interface FunctionTool {
  /** `@functionTool`, bare. */
  (method: Function, context: ClassMethodDecoratorContext): void
  /** `@functionTool({ … })`. */
  <S = undefined>(options?: FunctionToolOptions<S>): FunctionToolDecorator<S>
  /** The form without decorators: marks a function, usually a bound method, and gives it back. */
  of<S = undefined, F extends Method<S> = Method<S>>(fn: F, options?: FunctionToolOptions<S>): F
}

/**
 * Marks a method as a tool, for `ToolRegistry.discover`: `@functionTool({ description, schema })`, or bare. The method
 * stays as it is and can be called as before. Without a schema it takes no arguments, as types do not exist at run time.
 * `functionTool.of(fn, options)` does the same without decorators.
 *
 * @example
 * class Weather {
 *   @functionTool({ description: 'The weather of a city.', schema: z.object({ city: z.string() }) })
 *   getWeather({ city }: { city: string }) { return `Sunny in ${city}` }
 * }
 * @throws ConfigError for what is not a public method, and for a wrong option.
 */
export const functionTool: FunctionTool = Object.assign(decorate as Omit<FunctionTool, 'of'> as FunctionTool, {
  of: <F>(fn: F, options: FunctionToolOptions<never> = {}): F => {
    if (typeof fn !== 'function') {
      throw new ConfigError(`functionTool.of(): expected a function, got ${got(fn)}`)
    }
    return mark(fn, options as FunctionToolOptions)
  },
})

function decorate(first?: unknown, context?: unknown): unknown {
  if (context !== undefined) return decorated(first, {}, context as ClassMethodDecoratorContext)
  const options = first ?? {}
  return (method: unknown, place: ClassMethodDecoratorContext) =>
    decorated(method, options as FunctionToolOptions, place)
}

function decorated(method: unknown, options: FunctionToolOptions, context: ClassMethodDecoratorContext): unknown {
  const { kind, name } = context
  if (kind !== 'method' || typeof method !== 'function') {
    throw new ConfigError(`@functionTool: expected a method, got the ${kind} "${String(name)}"`)
  }
  if (context.private) {
    throw new ConfigError(
      `@functionTool: expected a public method, got the private "${String(name)}"; a registry cannot reach it`,
    )
  }
  const own = typeof name === 'symbol' ? (name.description ?? '') : name
  const marked = mark(method, { ...options, name: options.name ?? own })
  record(context.metadata, own, options)
  return marked
}

/** The base class's map is the prototype of the subclass's metadata, so a copy is written. */
function record(metadata: Record<PropertyKey, unknown> | undefined, name: string, options: FunctionToolOptions): void {
  if (metadata === undefined) return
  metadata[METADATA] = { ...(metadata[METADATA] as object | undefined), [name]: options }
}

function mark<F extends Function>(fn: F, options: FunctionToolOptions): F {
  const { name } = checkOptions(options, fn, { maker: 'functionTool', undescribed: true })
  Object.defineProperty(fn, TAG, { value: { options, name } satisfies Tag, configurable: true })
  return fn
}

/** What a function was marked with; `undefined` for any other value. */
export const tagOn = (value: unknown): Tag | undefined =>
  typeof value === 'function' ? (value as { [TAG]?: Tag })[TAG] : undefined

/** The tool of a marked function; `body` is what runs, with `self` as its `this`. */
export function toolOf(tag: Tag, body: Function, self?: object): AnyTool {
  const run = (args: unknown, runtime: ToolRuntime): unknown => Reflect.apply(body, self, [args, runtime])
  return define(checkOptions({ ...tag.options, name: tag.name }, run, { maker: 'functionTool', undescribed: true }))
}
