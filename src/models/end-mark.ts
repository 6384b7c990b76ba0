/** The part of a `Response` that an end mark is looked for in. */
interface WithBody {
  readonly body: ReadableStream<Uint8Array> | null
}

/** Tells whether `[DONE]` has come. */
export interface EndMark {
  readonly seen: boolean
}

const MARK: readonly number[] = [...'[DONE]'].map((char) => char.charCodeAt(0))
const [BRACKET = 0x5b, D = 0x44] = MARK

/** How long the end of the body is waited for behind the mark, in milliseconds, before the connection is dropped. */
const GRACE_MS = 100

/**
 * Watches the body of an event stream for the line `data: [DONE]`, which clients of the protocol swallow: a stream that
 * has no finish reason but that line is complete. The body ends with the mark, whatever comes behind it: garbage, a
 * reset, or a server that keeps the connection open. To be called before the body is read.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream
 */
export function watchEndMark(response: WithBody): EndMark {
  const mark = { seen: false }
  const { body } = response
  // The client takes any async iterable as a body, so no stream has to be piped through another one.
  if (body) Object.defineProperty(response, 'body', { value: { [Symbol.asyncIterator]: () => marked(body, mark) } })
  return mark
}

async function* marked(body: ReadableStream<Uint8Array>, mark: { seen: boolean }): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let before: number[] = []
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        isOver = true
        const last = before.at(-1)
        // The client passes a line over that has no end: whatever was in it would be lost without a word.
        if (last !== undefined && last !== 0x0a && last !== 0x0d) throw new Error('the last line is cut')
        return
      }
      if (hasMark(before, value)) {
        mark.seen = true
        yield value
        isOver = await endsSoon(reader)
        return
      }
      before = [...before, ...value.subarray(-LOOK_BACK)].slice(-LOOK_BACK)
      yield value
    }
  } catch (error) {
    isOver = true
    throw error
  } finally {
    // Drops the connection; an error of that changes nothing for the reply that was read.
    if (!isOver) reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}

/** A line break, `data:`, a space and the mark. */
const LOOK_BACK = 13

/** Whether the mark stands in a chunk, or over the border of what came before; as a line, so never inside JSON. */
function hasMark(before: readonly number[], chunk: Uint8Array): boolean {
  if (before.length > 0) {
    const border = Uint8Array.from([...before, ...chunk.subarray(0, LOOK_BACK)])
    if (isMarkIn(border, before.length < LOOK_BACK)) return true
  }
  return isMarkIn(chunk, before.length === 0)
}

function isMarkIn(bytes: Uint8Array, isStart: boolean): boolean {
  // `D` is far rarer in JSON than `[`.
  for (let at = bytes.indexOf(D, 1); at > 0; at = bytes.indexOf(D, at + 1)) {
    if (bytes[at - 1] === BRACKET && MARK.every((byte, index) => bytes[at - 1 + index] === byte)) {
      if (isDataLine(bytes, at - 1, isStart)) return true
    }
  }
  return false
}

function isDataLine(bytes: Uint8Array, end: number, isStart: boolean): boolean {
  const from = bytes[end - 1] === 0x20 ? end - 6 : end - 5
  if (from < 0 || String.fromCharCode(...bytes.subarray(from, from + 5)) !== 'data:') return false
  const before = bytes[from - 1]
  return from === 0 ? isStart : before === 0x0a || before === 0x0d
}

/** Waits shortly for the end of a body, so that its connection can be used again. */
async function endsSoon(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, GRACE_MS, false)
  })
  try {
    return await Promise.race([drain(reader), late])
  } finally {
    clearTimeout(timer)
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
  try {
    for (;;) if ((await reader.read()).done) return true
  } catch {
    return true
  }
}
