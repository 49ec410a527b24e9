import { type Database, openDatabase } from '@gatepost/sql'
import { sql } from 'kysely'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An existing site's database, to read from. */
export type ReadOnlyDatabase = Pick<Database<object>, 'db' | 'dialect'>

/**
 * Runs `work` on the database of a site that may be running: on PostgreSQL in one read-only transaction, which poolers
 * such as PgBouncer support too and which keeps the options in the URL; on a copy of an SQLite file, because opening the
 * original could change its journal mode.
 * @param where `postgres://…`, or a path, also as `sqlite:///path` or `file:///path`.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable` @throws {Error} with a `code` if the file doesn't exist
 */
export async function readExistingDatabase<R>(
  where: string,
  work: (database: ReadOnlyDatabase) => Promise<R>,
): Promise<R> {
  if (isPostgresUrl(where)) {
    const database = await openDatabase<object>({ url: where })
    try {
      return await database.transaction(async (tx) => {
        await sql`set transaction read only`.execute(tx)
        return work({ db: tx, dialect: database.dialect })
      })
    } finally {
      await database.close()
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-check-'))
  try {
    const copy = join(folder, 'copy.db')
    await copySqliteFile(toSqlitePath(where), copy)
    const database = await openDatabase<object>({ file: copy })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isPostgresUrl = (where: string): boolean => /^postgres(ql)?:/i.test(where)
const toSqlitePath = (where: string): string => where.replace(/^(sqlite|file):(\/\/)?/i, '')

/**
 * Opens the existing database of a site for writing.
 * @param where As for `readExistingDatabase`.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable` @throws {Error} with a `code` if the file doesn't exist
 */
export async function openExistingDatabase(where: string): Promise<Database<object>> {
  if (isPostgresUrl(where)) return openDatabase<object>({ url: where })
  const file = toSqlitePath(where)
  await access(file)
  return openDatabase<object>({ file })
}

/** Makes a consistent copy, even while the site writes. */
async function copySqliteFile(file: string, copy: string): Promise<void> {
  await access(file)
  const { backup, DatabaseSync } = await import('node:sqlite')
  const source = new DatabaseSync(file, { readOnly: true })
  try {
    await backup(source, copy)
  } finally {
    source.close()
  }
}
