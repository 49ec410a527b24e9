import { type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import { unlessUnreadable } from '../crypto/crypto.ts'
import type { Kernel } from '../kernel.ts'
import { userRows } from '../users/user-rows.sql.ts'
import { renewFingerprint } from './session-store.sql.ts'

/**
 * Creates the `SealedTable` of the sessions. It also renews the fingerprints of passwords, because a session whose
 * fingerprint was made with a removed key ends.
 */
export function sealedSessions({
  database,
  sealer,
  signer,
  settings,
}: Pick<Kernel, 'database' | 'sealer' | 'signer' | 'settings'>): SealedTable {
  const users = userRows(settings.userTable, database.dialect)
  const isOwner = sql`${users.column('id', 'u')} = ${users.castKey(sql.ref('gatepost_session.user_id'))}`
  return sealedTable(database, {
    table: 'gatepost_session',
    key: sql.ref('gatepost_session.id'),
    columns: ['data', 'fingerprint'],
    related: sql`(select ${users.column('password', 'u')} from ${users.table} u where ${isOwner})`,
    reseal: ({ data, fingerprint }, id, password) =>
      unlessUnreadable(() => ({
        data: data && sealer.reseal(data, String(id)),
        fingerprint: fingerprint && renewFingerprint(signer, fingerprint, password ?? ''),
      })),
  })
}
