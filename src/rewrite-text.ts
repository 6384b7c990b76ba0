import { ConfigError, got } from './errors.js'
import type { Delta } from './events.js'
import type { AssistantMessage } from './messages.js'
import type { ModelLayer } from './requests.js'

/** Rewrites a text that comes in pieces. `write` may hold back what is not finished; `end` gives the rest. */
export interface TextRewriter {
  write(text: string): string
  end(): string
}

/**
 * Makes a layer that treats tokens and the final message alike: each text goes through a rewriter of its own, pieces
 * of a stream one by one, and a reset starts anew.
 *
 * @example
 * wrapModelCall(rewriteText(() => ({ write: (text) => text.toUpperCase(), end: () => '' })))
 * @throws ConfigError if `make` is no function, and from the run if a rewriter or a text that it gives is none
 */
export function rewriteText(make: () => TextRewriter): ModelLayer {
  if (typeof make !== 'function') throw misfit('a function () => { write, end }', make)
  const whole = (text: string): string => {
    const rewriter = make()
    return called(rewriter, 'write', text) + called(rewriter, 'end')
  }
  return async (request, handler) => {
    if (!request.streaming) {
      const response = await handler(request)
      return { ...response, message: rewritten(response.message, whole) }
    }
    let rewriter = make()
    const show = (text: string): void | Promise<void> =>
      text === '' ? undefined : request.emit({ type: 'text', text })
    const emit = (delta: Delta): void | Promise<void> => {
      if (delta.type === 'text') return show(called(rewriter, 'write', delta.text))
      if (delta.type === 'reset') rewriter = make()
      return request.emit(delta)
    }
    const response = await handler(request.override({ emit }))
    await show(called(rewriter, 'end'))
    return { ...response, message: rewritten(response.message, whole) }
  }
}

const misfit = (expected: string, value: unknown): ConfigError =>
  new ConfigError(`rewriteText(): expected ${expected}, got ${got(value)}`)

/** The text that a rewriter gives, or throws. */
function called(rewriter: TextRewriter | undefined, name: 'write' | 'end', text = ''): string {
  const given: unknown = typeof rewriter?.[name] === 'function' ? rewriter[name](text) : undefined
  if (typeof given !== 'string') throw misfit(`a rewriter whose ${name}() gives a string`, given)
  return given
}

function rewritten(message: AssistantMessage, whole: (text: string) => string): AssistantMessage {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: whole(content) }
  if (!Array.isArray(content)) return message
  return {
    ...message,
    content: content.map((part) =>
      part.type === 'text' && typeof part.text === 'string' ? { ...part, text: whole(part.text) } : part,
    ),
  }
}
