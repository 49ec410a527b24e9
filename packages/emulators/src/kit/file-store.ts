/** A file that the platform keeps until it expires. */
export interface KeptFile {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
  /** Time of expiry, in milliseconds since the Unix epoch. */
  readonly untilMs: number
}

/** Files by key. When their total size exceeds `capacityBytes`, the oldest are evicted. */
export class FileStore<T extends KeptFile = KeptFile> {
  readonly #capacityBytes: number
  readonly #files = new Map<string, T>()
  #held = 0

  constructor(capacityBytes: number = 256 * 1024 * 1024) {
    this.#capacityBytes = capacityBytes
  }

  /** Stores a file, evicting older ones if needed. */
  put(key: string, file: T): void {
    this.#files.set(key, file)
    this.#held += file.bytes.length
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#held <= this.#capacityBytes || oldest === key) break
      this.#files.delete(oldest)
      this.#held -= bytes.length
    }
  }

  /** Returns the file, or `null` when it is unknown or expired. */
  get(key: string, nowMs: number): T | null {
    const file = this.#files.get(key)
    return file && file.untilMs > nowMs ? file : null
  }
}
