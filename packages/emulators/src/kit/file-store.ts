/** A file that the platform keeps for a while. */
export interface KeptFile {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
  /** From this instant on it is gone. */
  readonly untilMs: number
}

/** Files by a key; when they pass `capacityBytes` together the oldest are forgotten. */
export class FileStore<T extends KeptFile = KeptFile> {
  readonly #capacityBytes: number
  readonly #files = new Map<string, T>()
  #held = 0

  constructor(capacityBytes: number = 256 * 1024 * 1024) {
    this.#capacityBytes = capacityBytes
  }

  put(key: string, file: T): void {
    this.#files.set(key, file)
    this.#held += file.bytes.length
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#held <= this.#capacityBytes || oldest === key) break
      this.#files.delete(oldest)
      this.#held -= bytes.length
    }
  }

  get(key: string, nowMs: number): T | null {
    const file = this.#files.get(key)
    return file && file.untilMs > nowMs ? file : null
  }
}
