type Follower = () => void

/** Who follows a signal, and the one listener that tells them. */
interface Crowd {
  readonly followers: Set<Follower>
  readonly listener: () => void
}

const crowds = new WeakMap<AbortSignal, Crowd>()

/**
 * Calls back when a signal that has not fired yet does; gives a function that ends this. A thousand runs may follow one
 * signal of an app: it gets one listener for all of them, since Node warns of a leak at the eleventh, and none once
 * nobody follows it.
 */
export function follow(signal: AbortSignal, onAbort: Follower): () => void {
  const crowd = crowds.get(signal) ?? gather(signal)
  // A wrapper of its own, so that one function may follow twice.
  const follower = (): void => onAbort()
  crowd.followers.add(follower)
  return () => {
    crowd.followers.delete(follower)
    if (crowd.followers.size > 0 || crowds.get(signal) !== crowd) return
    crowds.delete(signal)
    signal.removeEventListener('abort', crowd.listener)
  }
}

function gather(signal: AbortSignal): Crowd {
  const followers = new Set<Follower>()
  const listener = (): void => {
    crowds.delete(signal)
    for (const follower of [...followers]) follower()
  }
  const crowd: Crowd = { followers, listener }
  crowds.set(signal, crowd)
  signal.addEventListener('abort', listener, { once: true })
  return crowd
}

interface EventsModule {
  setMaxListeners(count: number, target: AbortSignal): void
}
interface Host {
  readonly process?: { getBuiltinModule?(name: 'node:events'): EventsModule | undefined }
}

const events = (globalThis as Host).process?.getBuiltinModule?.('node:events')

/** A controller whose signal may have any number of listeners: those of fifty parallel tool calls are no leak. */
export function openController(): AbortController {
  const controller = new AbortController()
  events?.setMaxListeners(0, controller.signal)
  return controller
}
