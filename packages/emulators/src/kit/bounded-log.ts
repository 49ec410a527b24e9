/** Keeps the last `capacity` items in order of arrival, numbered from 1. */
export class BoundedLog<T> {
  readonly #capacity: number
  readonly #onDrop: ((item: T) => void) | undefined
  readonly #items: T[] = []
  #last = 0

  constructor(capacity: number, onDrop?: (item: T) => void) {
    this.#capacity = capacity
    this.#onDrop = onDrop
  }

  /** Sequence number of the newest item, or 0. */
  get last(): number {
    return this.#last
  }

  /** Number of items kept. */
  get size(): number {
    return this.#items.length
  }

  /** Adds an item, dropping the oldest when full, and returns its sequence number. */
  push(item: T): number {
    const sequence = ++this.#last
    const slot = (sequence - 1) % this.#capacity
    const dropped = this.#items[slot]
    this.#items[slot] = item
    if (dropped !== undefined) this.#onDrop?.(dropped)
    return sequence
  }

  /** Returns up to `limit` items with a sequence number above `sequence`, oldest first. */
  after(sequence: number, limit: number = this.#capacity): T[] {
    const first = Math.max(sequence, this.#last - this.#items.length) + 1
    const items: T[] = []
    for (let at = first; at <= this.#last && items.length < limit; at++) {
      const item = this.#items[(at - 1) % this.#capacity]
      if (item !== undefined) items.push(item)
    }
    return items
  }

  /** Returns how many items came after `sequence`, dropped ones included. */
  countAfter(sequence: number): number {
    return Math.max(0, this.#last - sequence)
  }
}

/** Keeps a map from growing without end: what was put in first goes first. */
export function evictOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
