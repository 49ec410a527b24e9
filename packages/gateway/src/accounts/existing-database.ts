import { type Database, openDatabase } from '@gatepost/sql'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An existing site's database, opened read-only. */
export interface ExistingDatabase {
  readonly database: Database<object>
  close(): Promise<void>
}

/**
 * Opens the database of a site that may be running: PostgreSQL in read-only sessions, an SQLite file as a copy, because
 * opening the original could change its journal mode.
 * @param where `postgres://…`, or a path, also as `sqlite:///path` or `file:///path`.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable` @throws {Error} with a `code` if the file doesn't exist
 */
export async function openReadOnlyDatabase(where: string): Promise<ExistingDatabase> {
  if (/^postgres(ql)?:/i.test(where)) {
    const database = await openDatabase<object>({ url: readOnly(where) })
    return { database, close: () => database.close() }
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-check-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'copy.db')
    await copySqliteFile(where.replace(/^(sqlite|file):(\/\/)?/i, ''), copy)
    const database = await openDatabase<object>({ file: copy })
    return {
      database,
      async close() {
        await database.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * Opens the existing database of a site for writing.
 * @param where As for `openReadOnlyDatabase`.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable` @throws {Error} with a `code` if the file doesn't exist
 */
export async function openExistingDatabase(where: string): Promise<Database<object>> {
  if (/^postgres(ql)?:/i.test(where)) return openDatabase<object>({ url: where })
  const file = where.replace(/^(sqlite|file):(\/\/)?/i, '')
  await access(file)
  return openDatabase<object>({ file })
}

/** Adds the read-only option. An invalid URL is reported on opening, without its password. */
function readOnly(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  parsed.searchParams.set('options', '-c default_transaction_read_only=on')
  return parsed.href
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
