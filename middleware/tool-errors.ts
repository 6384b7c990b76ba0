import {
  ConfigError,
  createMiddleware,
  errorText,
  isAgentError,
  isControl,
  type Middleware,
  type ToolCallRequest,
  toolMessage,
} from 'cepa'

/** Options of {@link toolErrors}. */
export interface ToolErrorsOptions {
  /** Which errors become messages; what it refuses passes on to the layers outside. All by default. */
  filter?: (error: unknown, request: ToolCallRequest) => boolean | Promise<boolean>
  /** What the model is told. By default the error's message, or a neutral sentence where it says `expose: false`. */
  format?: (error: unknown, request: ToolCallRequest) => string | Promise<string>
}

/**
 * Turns what a tool throws into an error message for the model, at this place of the stack: the layers outside see a
 * result, those inside see the error. Control flow, a `ConfigError` and a `ConflictError` always pass, as the same object.
 *
 * @example
 * const agent = createAgent({
 *   model: 'openai:gpt-5.4',
 *   tools: [search],
 *   middleware: [
 *     toolErrors({
 *       filter: (error) => error instanceof RangeError,
 *       format: (error, { toolCall }) => `${toolCall.name} failed: ${(error as Error).message}. Try a smaller range.`,
 *     }),
 *   ],
 * })
 * @throws ConfigError if an option is unknown, or no function
 */
export function toolErrors(options: ToolErrorsOptions = {}): Middleware {
  checkOptions(options)
  const { filter, format = errorText } = options
  return createMiddleware({
    name: 'tool-errors',
    wrapToolCall: async function toolErrors(request, handler) {
      try {
        return await handler(request)
      } catch (error) {
        if (isControl(error) || isForTheApp(error)) throw error
        if (filter && !(await filter(error, request))) throw error
        return { message: toolMessage(await format(error, request), { status: 'error' }) }
      }
    },
  })
}

/** Wrong configuration and a lost thread: no model can mend them. */
const isForTheApp = (error: unknown): boolean =>
  isAgentError(error) && (error.code === 'CONFIG' || error.code === 'CONFLICT')

function checkOptions(options: object): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError(`toolErrors(): expected an object of options, got ${String(options)}`)
  }
  for (const [key, value] of Object.entries(options)) {
    if (key !== 'filter' && key !== 'format') {
      throw new ConfigError(`toolErrors(): unknown option "${key}"; expected filter or format`)
    }
    if (value !== undefined && typeof value !== 'function') {
      throw new ConfigError(`toolErrors(): expected ${key} to be a function (error, request), got ${typeof value}`)
    }
  }
}
