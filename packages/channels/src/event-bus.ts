import type { ChannelEvent } from './channels.ts'

/** Events kept for a listener that is slower than the service; a listener further behind is ended. */
const MAX_BEHIND = 1_000

/** Tells the listeners of an account what happens. Nothing is built or kept when nobody listens. */
export interface EventBus {
  emit(accountId: string, event: () => ChannelEvent): void
  listen(accountId: string, signal: AbortSignal): AsyncIterable<ChannelEvent>
  /** Called at every change of this delivery, until `signal` aborts. */
  onDelivery(id: string, changed: () => void, signal: AbortSignal): void
  deliveryChanged(id: string): void
  close(): void
}

interface Listener {
  readonly queue: ChannelEvent[]
  wake: () => void
  ended: boolean
}

export function createEventBus(): EventBus {
  const byAccount = new Map<string, Set<Listener>>()
  const byDelivery = new Map<string, Set<() => void>>()
  let closed = false

  const end = (accountId: string, listener: Listener): void => {
    listener.ended = true
    const all = byAccount.get(accountId)
    all?.delete(listener)
    if (all?.size === 0) byAccount.delete(accountId)
    listener.wake()
  }

  return {
    emit(accountId, event) {
      const listeners = byAccount.get(accountId)
      if (!listeners) return
      const value = event()
      for (const listener of listeners) {
        listener.queue.push(value)
        if (listener.queue.length > MAX_BEHIND) end(accountId, listener)
        else listener.wake()
      }
    },
    async *listen(accountId, signal) {
      const listener: Listener = { queue: [], wake: () => {}, ended: closed || signal.aborted }
      if (!listener.ended) {
        const listeners = byAccount.get(accountId) ?? new Set()
        byAccount.set(accountId, listeners.add(listener))
      }
      const onAbort = (): void => end(accountId, listener)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        while (!listener.ended) {
          const value = listener.queue.shift()
          if (value) yield value
          else await new Promise<void>((resolve) => (listener.wake = resolve))
        }
      } finally {
        signal.removeEventListener('abort', onAbort)
        end(accountId, listener)
      }
    },
    onDelivery(id, changed, signal) {
      if (signal.aborted) return
      const callbacks = byDelivery.get(id) ?? new Set()
      byDelivery.set(id, callbacks.add(changed))
      signal.addEventListener(
        'abort',
        () => {
          callbacks.delete(changed)
          if (callbacks.size === 0) byDelivery.delete(id)
        },
        { once: true },
      )
    },
    deliveryChanged(id) {
      for (const changed of byDelivery.get(id) ?? []) changed()
    },
    close() {
      closed = true
      for (const [accountId, listeners] of byAccount) for (const listener of [...listeners]) end(accountId, listener)
    },
  }
}
