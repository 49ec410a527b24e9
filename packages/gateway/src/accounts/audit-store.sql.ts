import type { GatewayDb } from './database.ts'
import type { GatewayTables } from './tables.ts'

/** One line of the audit log as it is stored. */
export type AuditRow = Readonly<GatewayTables['gateway_audit']>

export async function addAuditRow(db: GatewayDb, row: AuditRow): Promise<void> {
  await db.insertInto('gateway_audit').values(row).execute()
}

/** The newest first, before `before`. */
export async function auditPage(
  db: GatewayDb,
  page: { readonly limit: number; readonly before: string | null; readonly accountId: string | null },
): Promise<readonly AuditRow[]> {
  let query = db.selectFrom('gateway_audit').selectAll().orderBy('id', 'desc').limit(page.limit)
  if (page.before !== null) query = query.where('id', '<', page.before)
  if (page.accountId !== null) query = query.where('account_id', '=', page.accountId)
  return query.execute()
}

/** Removes lines from before `beforeMs`. */
export async function removeOldAudit(db: GatewayDb, beforeMs: number): Promise<void> {
  await db.deleteFrom('gateway_audit').where('at_ms', '<', beforeMs).execute()
}
