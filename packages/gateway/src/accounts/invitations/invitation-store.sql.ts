import type { GatewayDb, GatewayTables } from '../schema.ts'

/** A stored invitation. */
export type InvitationRow = Readonly<GatewayTables['gateway_invitation']>

/** Stores an invitation. */
export async function addInvitation(db: GatewayDb, row: InvitationRow): Promise<void> {
  await db.insertInto('gateway_invitation').values(row).execute()
}

/** Removes unused links to the first account, so that only the newest is valid. */
export async function removeFirstInvitations(db: GatewayDb): Promise<void> {
  await db.deleteFrom('gateway_invitation').where('is_first', '=', 1).where('used_at_ms', 'is', null).execute()
}

/** Returns the open invitation with this hash, or `null`. */
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

/** Marks an open invitation as used and returns it; `null` if it isn't open. Of two callers only one succeeds. */
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

/** Records the account that an invitation created. */
export async function setInvitationUser(db: GatewayDb, id: string, accountId: string): Promise<void> {
  await db.updateTable('gateway_invitation').set({ used_by: accountId }).where('id', '=', id).execute()
}

/** Returns the open invitations, newest first, without the one for the first account. */
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

/** Revokes an open invitation. @returns Whether there was one */
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

/** Revokes the open invitations that a user created, directly or with a token. */
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
