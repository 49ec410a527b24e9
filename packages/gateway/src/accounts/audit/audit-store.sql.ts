import type { GatewayDb, GatewayTables } from '../schema.ts'
import type { Database } from '@gatepost/sql'
import { type Expression, type RawBuilder, sql } from 'kysely'

/** A stored audit entry. */
export type AuditRow = Readonly<GatewayTables['gateway_audit']>

/** Stores an entry. */
export async function addAuditRow(db: GatewayDb, row: AuditRow): Promise<void> {
  await db.insertInto('gateway_audit').values(row).execute()
}

/** Filters for audit entries; `null`: any value. */
export interface AuditFilter {
  /** The affected account. */
  readonly accountId: string | null
  readonly action: string | null
  readonly outcome: AuditRow['outcome'] | null
  /** Searched in actor, account, action, target, IP address, user agent and code; ASCII letters match in either case. */
  readonly text: string | null
}

/** Returns a page of matching entries, newest first, before `before`. */
export async function auditPage(
  { db, dialect }: Pick<Database<GatewayTables>, 'db' | 'dialect'>,
  page: AuditFilter & { readonly limit: number; readonly before: string | null },
): Promise<readonly AuditRow[]> {
  const { before, accountId, action, outcome, text } = page
  let query = db.selectFrom('gateway_audit').selectAll().orderBy('id', 'desc').limit(page.limit)
  if (before !== null) query = query.where('id', '<', before)
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  if (action !== null) query = query.where('action', '=', action)
  if (outcome !== null) query = query.where('outcome', '=', outcome)
  if (text !== null) {
    query = query.where(({ or, ref }) => or(SEARCHED.map((name) => contains(dialect, ref(name), text))))
  }
  return query.execute()
}

const SEARCHED = ['actor', 'account_id', 'action', 'target', 'ip', 'user_agent', 'code'] as const

/** Matches case-insensitively for ASCII only, because the databases fold other letters differently. */
function contains(
  dialect: Database<GatewayTables>['dialect'],
  column: Expression<string | null>,
  text: string,
): RawBuilder<boolean> {
  const wanted = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return dialect === 'postgres'
    ? sql`strpos(lower(${column} collate "C"), ${wanted}) > 0`
    : sql`instr(lower(${column}), ${wanted}) > 0`
}

/** Entries removed by one statement: few, so that other writes are not delayed. */
const REMOVED_AT_ONCE = 500

/** Removes one batch of entries older than `beforeMs`. @returns whether there may be more. */
export async function removeOldAudit(db: GatewayDb, beforeMs: number): Promise<boolean> {
  const removed = await db
    .deleteFrom('gateway_audit')
    .where('id', 'in', (of) =>
      of.selectFrom('gateway_audit').select('id').where('at_ms', '<', beforeMs).limit(REMOVED_AT_ONCE),
    )
    .executeTakeFirst()
  return removed.numDeletedRows === BigInt(REMOVED_AT_ONCE)
}
