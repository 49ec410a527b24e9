import type { AuthDb, User, UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'

// Anyone can sign up with another person's address. Until that person proves that the address is theirs, nothing in the
// account is known to be theirs either.

/** Returns whether no one has proven yet that the account is theirs: its primary address isn't verified. */
export const isUnproven = (rows: readonly EmailAddress[]): boolean => {
  const known = rows.filter(({ primary }) => primary)
  return rows.length > 0 && !(known.length > 0 ? known : rows).some(({ verified }) => verified)
}

/** Returns whether verifying `address` proves for the first time whose account it is. */
export const isFirstProof = (rows: readonly EmailAddress[], address: EmailAddress): boolean =>
  isUnproven(rows) && !address.verified && (address.primary || !rows.some(({ verified }) => verified))

/** Revokes what acts in the user's name without a session: access of OAuth clients, and the host's own tokens. */
export async function revokeAccess(account: Account, db: AuthDb, userId: UserId): Promise<void> {
  for (const module of account.kernel.modules) await module.revokeAccess?.(db, userId)
  await account.adapter.revokeAccess(db, userId)
}

/** Ends all sessions of the user except that of this request. */
async function endOtherSessions({ kernel }: Account, request: Visit, { id }: User): Promise<void> {
  const sessions = await kernel.sessions.ofUser(request.db, id, request.nowMs)
  const others = sessions.map((session) => session.id).filter((key) => key !== request.session.id)
  await kernel.sessions.end(request.db, id, others)
}

/**
 * Removes everything that someone else may have added to an account before `owned` proved whose it is: other addresses,
 * the phone number, factors, and linked provider accounts. Also ends sessions and revokes access. Keeps this request's
 * session and the provider account that it signed in with. Runs in the transaction of the proof.
 * @param keepsPhone Whether to keep the phone number, which the owner may have entered at sign-up.
 */
export async function evictOthers(
  account: Account,
  request: Visit,
  user: User,
  { owned, keepsPhone }: { readonly owned: EmailAddress; readonly keepsPhone: boolean },
): Promise<void> {
  await endOtherSessions(account, request, user)
  await revokeAccess(account, request.db, user.id)
  for (const address of await account.emails.ofUser(request.db, user.id)) {
    if (address.id === owned.id) continue
    await account.emails.remove(request.db, address.id)
    await request.afterCommit(() =>
      account.signals.emit('email_removed', 'EmailAddress', { request, user, email_address: address }),
    )
  }
  if (!keepsPhone) await account.phones.remove(request.db, user.id)
  for (const module of account.kernel.modules) await module.evictOthers?.(request, user)
}
