import type { Kernel } from '../../kernel/kernel.ts'
import { sql } from 'kysely'
import type { AuthDb } from '../../kernel/users/user.ts'

/** What can be claimed: a text that one person may have, or what belongs to a user. */
type Claimed =
  | 'email'
  | 'phone'
  | 'username'
  | 'social_account'
  | 'addresses_of'
  | 'authenticators_of'
  | 'social_accounts_of'

/**
 * Of all transactions that claim the same text one goes on, and the others wait for its end: between looking whether
 * something is free and taking it nobody else can take it. On SQLite there is one writer at a time anyway.
 * @see PostgreSQL manual, section 13.3.5 (advisory locks)
 */
export async function claim(core: Pick<Kernel, 'database'>, db: AuthDb, kind: Claimed, text: string): Promise<void> {
  if (core.database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`gatepost ${kind} ${text}`}, 0))`.execute(db)
}
