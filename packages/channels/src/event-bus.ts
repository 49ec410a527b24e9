import type { ChannelEvent } from './channels.ts'

/** Events buffered for a slow listener; one that falls further behind is disconnected. */
const MAX_BEHIND = 1_000

/** Delivers events to the listeners of an account. Without listeners, no event is built or kept. */
export interface EventBus {
  emit(accountId: string, event: () => ChannelEvent): void
  listen(accountId: string, signal: AbortSignal): AsyncIterable<ChannelEvent>
  /** Calls `changed` on every change of this delivery, until `signal` aborts. */
  onDelivery(id: string, changed: () => void, signal: AbortSignal): void
  deliveryChanged(id: string): void
  close(): void
}

interface Listener {
  readonly queue: ChannelEvent[]
  wake: () => void
  ended: boolean
}

/** Creates an event bus without listeners. */
export const createEventBus = (): EventBus => new Bus()

class Bus implements EventBus {
  readonly #byAccount = new Map<string, Set<Listener>>()
  readonly #byDelivery = new Map<string, Set<() => void>>()
  #closed = false

  emit(accountId: string, event: () => ChannelEvent): void {
    const listeners = this.#byAccount.get(accountId)
    if (!listeners) return
    const value = event()
    for (const listener of listeners) {
      listener.queue.push(value)
      if (listener.queue.length > MAX_BEHIND) this.#end(accountId, listener)
      else listener.wake()
    }
  }

  async *listen(accountId: string, signal: AbortSignal): AsyncGenerator<ChannelEvent> {
    const listener: Listener = { queue: [], wake: () => {}, ended: this.#closed || signal.aborted }
    if (!listener.ended) {
      const listeners = this.#byAccount.get(accountId) ?? new Set()
      this.#byAccount.set(accountId, listeners.add(listener))
    }
    const onAbort = (): void => this.#end(accountId, listener)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      while (!listener.ended) {
        const value = listener.queue.shift()
        if (value) yield value
        else await new Promise<void>((resolve) => (listener.wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#end(accountId, listener)
    }
  }

  onDelivery(id: string, changed: () => void, signal: AbortSignal): void {
    if (signal.aborted) return
    const callbacks = this.#byDelivery.get(id) ?? new Set()
    this.#byDelivery.set(id, callbacks.add(changed))
    const forget = (): void => {
      callbacks.delete(changed)
      if (callbacks.size === 0) this.#byDelivery.delete(id)
    }
    signal.addEventListener('abort', forget, { once: true })
  }

  deliveryChanged(id: string): void {
    for (const changed of this.#byDelivery.get(id) ?? []) changed()
  }

  close(): void {
    this.#closed = true
    for (const [accountId, listeners] of this.#byAccount) {
      for (const listener of listeners) this.#end(accountId, listener)
    }
  }

  #end(accountId: string, listener: Listener): void {
    listener.ended = true
    const all = this.#byAccount.get(accountId)
    all?.delete(listener)
    if (all?.size === 0) this.#byAccount.delete(accountId)
    listener.wake()
  }
}
