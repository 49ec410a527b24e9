import { type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import { unlessUnreadable } from './crypto.ts'
import { mailSealContext } from '../mail/mail-queue.sql.ts'
import type { ConnectedKernel } from '../module.ts'
import { sealedSessions } from '../sessions/sealed-sessions.sql.ts'

/** Returns all tables that depend on the secret key, so that a host can encrypt them again with its newest one. */
export const sealedTables = (kernel: ConnectedKernel): readonly SealedTable[] => [
  sealedSessions(kernel),
  sealedColumn(kernel, { table: 'gatepost_artifact', key: 'key', column: 'payload', toContext: (key) => key }),
  sealedColumn(kernel, { table: 'gatepost_mail', key: 'id', column: 'message', toContext: mailSealContext }),
  ...kernel.modules.flatMap((module) => module.sealedTables ?? []),
]

/** Creates the `SealedTable` of a table with one sealed column. */
function sealedColumn(
  { database, sealer }: Pick<ConnectedKernel, 'database' | 'sealer'>,
  from: { readonly table: string; readonly key: string; readonly column: string; toContext(key: string): string },
): SealedTable {
  const { table, key, column, toContext } = from
  return sealedTable(database, {
    table,
    key: sql.ref(key),
    columns: [column],
    reseal: (row, id) =>
      unlessUnreadable(() => {
        const sealed = row[column] ?? null
        return { [column]: sealed && sealer.reseal(sealed, toContext(String(id))) }
      }),
  })
}
