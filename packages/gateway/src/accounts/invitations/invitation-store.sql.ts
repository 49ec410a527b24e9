import type { GatewayDb, GatewayTables } from '../schema.ts'

/** An invitation as it is stored. */
export type InvitationRow = Readonly<GatewayTables['gateway_invitation']>

export async function addInvitation(db: GatewayDb, row: InvitationRow): Promise<void> {
  await db.insertInto('gateway_invitation').values(row).execute()
}

/** Forgets the links to the first account that nobody has used: the newest alone is valid. */
export async function removeFirstInvitations(db: GatewayDb): Promise<void> {
  await db.deleteFrom('gateway_invitation').where('is_first', '=', 1).where('used_at_ms', 'is', null).execute()
}

/** The invitation of a hash while it can be used. */
export async function openInvitation(db: GatewayDb, tokenHash: string, nowMs: number): Promise<InvitationRow | null> {
  const row = await db
    .selectFrom('gateway_invitation')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('used_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst()
  return row ?? null
}

/** Uses an invitation up; of two that try the same one, one gets it. */
export async function useInvitation(db: GatewayDb, tokenHash: string, nowMs: number): Promise<InvitationRow | null> {
  const row = await db
    .updateTable('gateway_invitation')
    .set({ used_at_ms: nowMs })
    .where('token_hash', '=', tokenHash)
    .where('used_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function setInvitationUser(db: GatewayDb, id: string, accountId: string): Promise<void> {
  await db.updateTable('gateway_invitation').set({ used_by: accountId }).where('id', '=', id).execute()
}

/** Those that can still be used, the newest first; not the one to the first account. */
export async function openInvitations(db: GatewayDb, nowMs: number): Promise<readonly InvitationRow[]> {
  return db
    .selectFrom('gateway_invitation')
    .selectAll()
    .where('is_first', '=', 0)
    .where('used_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** @returns whether there was such an invitation that nobody had used */
export async function revokeInvitation(db: GatewayDb, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('gateway_invitation')
    .where('id', '=', id)
    .where('is_first', '=', 0)
    .where('used_at_ms', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Takes back what a user has made, by themselves or by a token of theirs, and nobody has used. */
export async function revokeInvitationsByUser(db: GatewayDb, userId: string): Promise<void> {
  await db
    .deleteFrom('gateway_invitation')
    .where('used_at_ms', 'is', null)
    .where((e) =>
      e.or([
        e('created_by', '=', userId),
        e('created_by', 'in', e.selectFrom('gateway_token').select('id').where('user_id', '=', userId)),
      ]),
    )
    .execute()
}
