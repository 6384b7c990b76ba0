import { ConfigError, createMiddleware, type Middleware, type ModelRequest } from 'cepa'

/**
 * Makes the system prompt of each model call from its request: state, context and the prompt so far are on it. The text
 * that it gives takes the place of `request.systemPrompt`. Asked again for each attempt that an outer layer makes.
 *
 * @example
 * const agent = createAgent({
 *   model: 'openai:gpt-5.4',
 *   systemPrompt: 'You are a librarian.',
 *   middleware: [
 *     dynamicSystemPrompt(({ systemPrompt, messages }) =>
 *       messages.length > 20 ? `${systemPrompt} Be brief: the talk is long already.` : systemPrompt,
 *     ),
 *   ],
 * })
 * @throws ConfigError if `make` is no function, and from the run if it gives anything but a string
 */
export function dynamicSystemPrompt(make: (request: ModelRequest) => string | Promise<string>): Middleware {
  if (typeof make !== 'function') {
    throw new ConfigError(`dynamicSystemPrompt(): expected a function (request) => string, got ${typeof make}`)
  }
  return createMiddleware({
    name: 'dynamic-system-prompt',
    wrapModelCall: async function dynamicSystemPrompt(request, handler) {
      const systemPrompt: unknown = await make(request)
      if (typeof systemPrompt !== 'string') {
        throw new ConfigError(
          `dynamicSystemPrompt(): expected the function to give a string, got ${typeof systemPrompt}; return request.systemPrompt to leave it as it is`,
        )
      }
      return handler(request.override({ systemPrompt }))
    },
  })
}
