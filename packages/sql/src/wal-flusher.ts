import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTick } from 'node:timers/promises'
import { toSqlError } from './errors.ts'

/**
 * Brings the write-ahead log of an open SQLite database to the disk. It is what SQLite itself does in every commit with
 * `synchronous = full`; here it is done on a thread, so that the process goes on meanwhile, and once for all commits
 * that wait for it. The log stays the same file for as long as a connection is open.
 * @see https://www.sqlite.org/wal.html section 2.4; https://www.sqlite.org/pragma.html#pragma_synchronous
 */
export class WalFlusher {
  readonly #file: string
  #log: FileHandle | null = null
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  /** @param file Path of the database. */
  constructor(file: string) {
    this.#file = file
  }

  /** Resolves when everything committed before has reached the disk. @throws {SqlError} `database_unavailable` */
  flush(): Promise<void> {
    this.#next ??= this.#after(this.#underWay)
    return this.#next
  }

  /** Lets what is asked for end. Call it before the database is closed. */
  async close(): Promise<void> {
    await (this.#next ?? this.#underWay).catch(() => {}) // whoever asked has been told
    await this.#log?.close()
    this.#log = null
  }

  async #after(before: Promise<void>): Promise<void> {
    await before.catch(() => {}) // whoever asked has been told
    await nextTick() // what is committed until then is served too
    this.#underWay = this.#next ?? before
    this.#next = null
    try {
      this.#log ??= await open(`${this.#file}-wal`, 'r+')
      await this.#log.datasync()
    } catch (error) {
      throw toSqlError(error)
    }
  }
}
