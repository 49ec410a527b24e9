import { CompiledQuery, type QueryResult, type RawBuilder } from 'kysely'
import type { AuthDb } from '../users/user.ts'

/**
 * Caches the text of hot statements, since building one takes longer than SQLite needs to run it.
 * @param name Key of the cached text.
 * @param make Builds the statement with any values; their order is that of `parameters`.
 */
export type RunCached = <Row>(
  db: AuthDb,
  name: string,
  make: () => RawBuilder<Row>,
  parameters: readonly unknown[],
) => Promise<QueryResult<Row>>

/** @returns for one database; names are constants of the code, so that there are few. */
export function cachedStatements(): RunCached {
  const texts = new Map<string, string>()
  return async <Row>(db: AuthDb, name: string, make: () => RawBuilder<Row>, parameters: readonly unknown[]) => {
    const text = texts.get(name) ?? make().compile(db).sql
    texts.set(name, text)
    return db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  }
}
