import compose from 'koa-compose'
import { StepError } from './errors.js'

const noop = (): void => {}

const blamed = new WeakMap<object, string>()

/** Remembers which middleware an error came from; the first one to throw it counts. */
export function blame(error: unknown, layer: string): void {
  if (typeof error === 'object' && error !== null && !blamed.has(error)) blamed.set(error, layer)
}

/** The middleware that an error came from; `undefined` for what a model or a tool threw. */
export const layerOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null ? blamed.get(error) : undefined

/** What a step calls to go on inwards; at most once. */
export type Next = () => Promise<void>

/** A named step: `(context, next)`, as in Koa. */
export interface NamedStep<Context> {
  readonly name: string
  readonly run: (context: Context, next: Next) => unknown
}

/**
 * Builds the onion of a run or a turn: plain koa-compose over a shared context, built once and run many times.
 * The core is entered once per passage. A step that returns before its `next()` has settled makes the passage reject
 * with `STEP_NOT_AWAITED`, after `cancel(context)` and after what it left behind has settled, so that nothing runs on.
 */
export function steps<Context extends object>(
  list: readonly NamedStep<Context>[],
  core: (context: Context) => Promise<void>,
  cancel: (context: Context, error: StepError) => void,
): (context: Context) => Promise<void> {
  if (list.length === 0) return core
  const stack = compose<Passage<Context>, unknown>([...list.map(watched), (passage) => passage.enter(core)])
  return async (context) => {
    const passage = new Passage(context)
    try {
      await stack(passage)
    } catch (error) {
      await passage.settle(cancel)
      throw error
    }
    const left = await passage.settle(cancel)
    if (left) throw left
  }
}

/** One time through an onion of steps. */
class Passage<Context> {
  readonly context: Context
  #state: 'idle' | 'open' | 'closed' = 'idle'
  #left: { readonly layer: string; readonly below: Promise<unknown>[] } | undefined

  constructor(context: Context) {
    this.context = context
  }

  async enter(core: (context: Context) => Promise<void>): Promise<void> {
    // koa-compose guards against a second next(), but its unreleased rewrite does not in production.
    if (this.#state !== 'idle')
      throw new StepError('next() reached the core twice, or after the onion was over: call it once and await it')
    this.#state = 'open'
    await core(this.context)
  }

  /** Notes what a step left running; the first one to do so is named. */
  leave(layer: string, below: Promise<unknown>): void {
    if (this.#left === undefined) this.#left = { layer, below: [below] }
    else this.#left.below.push(below)
  }

  async settle(cancel: (context: Context, error: StepError) => void): Promise<StepError | undefined> {
    this.#state = 'closed'
    if (this.#left === undefined) return undefined
    const { layer, below } = this.#left
    const error = new StepError(
      `step "${layer}" returned before its next() had settled: write \`await next()\` or \`return next()\``,
      {
        code: 'STEP_NOT_AWAITED',
      },
    )
    cancel(this.context, error)
    // A step further in may leave something running in its turn, and does so before its own promise settles.
    for (const running of below) await running.catch(noop)
    return error
  }
}

const watched =
  <Context>(step: NamedStep<Context>) =>
  async (passage: Passage<Context>, next: () => Promise<unknown>): Promise<void> => {
    let open: Promise<unknown> | undefined
    let failed: unknown
    const enter = (): Promise<void> => {
      const below = next() as Promise<void>
      // A second next() is refused at once; that must not hide that the first still runs.
      const all = open === undefined ? below : Promise.allSettled([open, below])
      open = all
      const settled = (): void => {
        if (open === all) open = undefined
      }
      all.then(settled, (error) => {
        failed = error
        settled()
      })
      return below
    }
    try {
      await step.run(passage.context, enter)
    } catch (error) {
      if (error !== failed) blame(error, step.name)
      throw error
    } finally {
      if (open !== undefined) passage.leave(step.name, open)
    }
  }

/** A named layer: `(request, handler)`; the handler may be called again and again. */
export interface NamedLayer<Request, Response> {
  readonly name: string
  readonly run: (request: Request, handler: (changed?: Request) => Promise<Response>) => Promise<Response> | Response
}

/**
 * One entry into a layer or into the core, linked to the entry that it was made from. `nth` counts the calls of that
 * layer's handler, synchronously, so a path never depends on timing.
 */
export class Entry<Request> {
  readonly request: Request
  readonly parent: Entry<Request> | undefined
  /** The layer whose handler made this entry; empty at the outside. */
  readonly layer: string
  readonly nth: number

  constructor(request: Request, parent?: Entry<Request>, layer = '', nth = 1) {
    this.request = request
    this.parent = parent
    this.layer = layer
    this.nth = nth
  }

  /** The way from the outside to here, e.g. `retry:2/fallback:1`; empty at the outside. */
  get path(): string {
    if (this.parent === undefined) return ''
    const above = this.parent.path
    return above === '' ? `${this.layer}:${this.nth}` : `${above}/${this.layer}:${this.nth}`
  }
}

/** How an onion of calls deals with what its layers pass on and give back. */
export interface CallRules<Request, Response> {
  /** Turns what a layer handed to its handler into a request, or throws. */
  readonly accept: (changed: unknown, current: Request, layer: string) => Request
  /** Takes what a layer gave back for a response, or throws. `request` is what that layer was given. */
  readonly settle: (response: Response, layer: string, request: Request) => Response
  /** Sees each entry into a layer, and the core's under the name `core`. */
  readonly observe?: (layer: string, entry: Entry<Request>, enter: () => Promise<Response>) => Promise<Response>
}

/**
 * Builds the onion of a model call or a tool call: a right fold in which each layer's handler is the composed rest
 * below it, so it may be entered again with the same request or another. Built once, run many times, concurrently.
 */
export function calls<Request, Response>(
  layers: readonly NamedLayer<Request, Response>[],
  core: (entry: Entry<Request>) => Promise<Response>,
  rules: CallRules<Request, Response>,
): (request: Request) => Promise<Response> {
  const { accept, settle, observe } = rules
  const seen = (layer: string, enter: Inner<Request, Response>): Inner<Request, Response> =>
    observe === undefined ? enter : (entry) => observe(layer, entry, () => enter(entry))
  const onion = layers.reduceRight<Inner<Request, Response>>(
    (rest, { name, run }) => {
      const enter = async (entry: Entry<Request>): Promise<Response> => {
        const { request } = entry
        let entered = 0
        let failed: unknown
        const handler = (changed?: Request): Promise<Response> => {
          let below: Promise<Response>
          try {
            const next = changed === undefined || changed === request ? request : accept(changed, request, name)
            below = rest(new Entry(next, entry, name, ++entered))
          } catch (error) {
            below = Promise.reject(error)
          }
          // Whoever races or forgets a call must not bring the process down with it.
          below.catch((error) => {
            failed = error
          })
          return below
        }
        try {
          return settle(await run(request, handler), name, request)
        } catch (error) {
          if (error !== failed) blame(error, name)
          throw error
        }
      }
      return seen(name, enter)
    },
    seen('core', core),
  )
  return (request) => onion(new Entry(request))
}

type Inner<Request, Response> = (entry: Entry<Request>) => Promise<Response>
