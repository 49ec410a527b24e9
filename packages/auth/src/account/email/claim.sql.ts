import type { Kernel } from '../../kernel/kernel.ts'
import { sql } from 'kysely'
import type { AuthDb } from '../../kernel/users/user.ts'

/** What can be claimed: a text that must be unique across users, or the rows of one user. */
type Claimed =
  | 'email'
  | 'phone'
  | 'username'
  | 'social_account'
  | 'addresses_of'
  | 'authenticators_of'
  | 'social_accounts_of'

/**
 * Serializes the transactions that claim the same text, so that none takes it between another's check and write.
 * SQLite has one writer at a time anyway.
 * @see PostgreSQL manual, section 13.3.5 (advisory locks)
 */
export async function lockClaim(
  core: Pick<Kernel, 'database'>,
  db: AuthDb,
  kind: Claimed,
  text: string,
): Promise<void> {
  if (core.database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`gatepost ${kind} ${text}`}, 0))`.execute(db)
}
