import fs from 'node:fs'
import { setImmediate as nextTick } from 'node:timers/promises'
import { SqlError, toSqlError } from './errors.ts'

/**
 * Brings the write-ahead log of an open SQLite database to the disk. It is what SQLite itself does in every commit with
 * `synchronous = full`; here it is done on a thread, so that the process goes on meanwhile, and once for all commits
 * that wait for it. The log stays the same file for as long as a connection is open.
 * @see https://www.sqlite.org/wal.html section 2.4; https://www.sqlite.org/pragma.html#pragma_synchronous
 */
export class WalFlusher {
  readonly #file: string
  /** A bare descriptor: a database that nobody closes must not end the process when it is collected. */
  #log: number | null = null
  #closed = false
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  /** @param file Path of the database. */
  constructor(file: string) {
    this.#file = file
  }

  /** Resolves when everything committed before has reached the disk. @throws {SqlError} `database_unavailable` */
  flush(): Promise<void> {
    if (this.#closed) return Promise.reject(new SqlError('database_unavailable', { reason: 'closed' }))
    this.#next ??= this.#after(this.#underWay)
    return this.#next
  }

  /** Lets what is asked for end. Call it before the database is closed. */
  async close(): Promise<void> {
    this.#closed = true
    await (this.#next ?? this.#underWay).catch(() => {}) // whoever asked has been told
    if (this.#log !== null) fs.closeSync(this.#log)
    this.#log = null
  }

  async #after(before: Promise<void>): Promise<void> {
    await before.catch(() => {}) // whoever asked has been told
    await nextTick() // what is committed until then is served too
    this.#underWay = this.#next ?? before
    this.#next = null
    try {
      this.#log ??= fs.openSync(`${this.#file}-wal`, 'r+')
      await onThread(this.#log)
    } catch (error) {
      throw toSqlError(error)
    }
  }
}

const onThread = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
  })
