/** Takes a piece of a reply's text; the first function is given what is visible, the second what is reasoning. */
export interface ThinkTags {
  push(text: string): void
  end(): void
}

const OPEN = '<think>'
const CLOSE = '</think>'

/**
 * Parts a text that comes in pieces into visible text and reasoning, at `<think>` tags as open reasoning models write
 * them. Only a tag that leads the reply opens reasoning: later ones belong to the answer. White space behind the
 * closing tag is dropped. A closing tag without an opening one, before any back-tick, is dropped. Only what may still
 * become a tag is held back.
 */
export function thinkTags(visible: (text: string) => void, reasoning: (text: string) => void): ThinkTags {
  let state: 'lead' | 'thinking' | 'after' | 'orphan' | 'answer' = 'lead'
  let held = ''

  const answer = (text: string): void => {
    if (text !== '') visible(text)
  }

  const step = (): boolean => {
    switch (state) {
      case 'lead': {
        const text = held.trimStart()
        if (text.length < OPEN.length && OPEN.startsWith(text)) return false
        const opened = text.startsWith(OPEN)
        if (opened) held = text.slice(OPEN.length)
        state = opened ? 'thinking' : 'orphan'
        return true
      }
      case 'thinking': {
        const end = held.indexOf(CLOSE)
        const sure = end >= 0 ? end : held.length - tail(held, CLOSE)
        if (sure > 0) reasoning(held.slice(0, sure))
        held = held.slice(end >= 0 ? end + CLOSE.length : sure)
        if (end >= 0) state = 'after'
        return end >= 0
      }
      case 'after':
        held = held.trimStart()
        if (held !== '') state = 'answer'
        return held !== ''
      case 'orphan': {
        const end = held.indexOf(CLOSE)
        const code = held.indexOf('`')
        if (code >= 0 && (end < 0 || code < end)) {
          state = 'answer'
          return true
        }
        const sure = end >= 0 ? end : held.length - tail(held, CLOSE)
        answer(held.slice(0, sure))
        held = held.slice(end >= 0 ? end + CLOSE.length : sure)
        if (end >= 0) state = 'after'
        return end >= 0
      }
      case 'answer':
        answer(held)
        held = ''
        return false
    }
  }

  return {
    push(text) {
      held += text
      while (step()) {}
    },
    end() {
      if (held === '') return
      if (state === 'thinking') reasoning(held)
      else answer(held)
      held = ''
    },
  }
}

/** How many characters at the end of `text` may be the beginning of `tag`. */
function tail(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(-length))) return length
  }
  return 0
}
