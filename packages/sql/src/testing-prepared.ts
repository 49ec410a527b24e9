import type { Database } from './database.ts'

/** What many tests begin with, above all migrations: it is done once in a process, and its outcome used again. */
export interface Prepared<Tables> {
  /** Names the outcome: the same name stands for the same tables and rows. */
  readonly name: string
  run(database: Database<Tables>): Promise<void>
}
