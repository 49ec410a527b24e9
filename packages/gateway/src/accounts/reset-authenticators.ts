import { type ChangeParts, userToChange } from './account-change.ts'
import type { Caller } from './caller.ts'
import { gatewayMail } from './gateway-mail.ts'
import type { User } from '@gatepost/auth'

/** What came of it. */
export interface AuthenticatorReset {
  readonly user: User
  /** Type and row of each, e.g. `totp 7`. */
  readonly removed: readonly string[]
}

/**
 * For somebody who has lost the phone or the key: removes their second factors and recovery codes, signs them out
 * everywhere, and tells them by mail. Browsers that they trusted are trusted no more, as there is nothing left that they
 * were trusted for. Without any factor nothing happens.
 * @param origin Where people reach the service, for the link in the mail.
 * @throws {GatewayError} `unknown_account`, `own_account`, `owner_account`
 */
export async function resetAuthenticators(
  parts: ChangeParts,
  caller: Caller,
  accountId: string,
  origin: string,
): Promise<AuthenticatorReset> {
  const { core } = parts
  const user = await userToChange(parts, caller, accountId)
  const link = `${origin}${core.has('mfa_index') ? core.url('mfa_index') : '/'}`
  const mail = user.email === '' ? null : await gatewayMail(core, { name: 'factors_reset', to: user.email, link })
  const removed = await core.database.transaction(async (tx) => {
    const { authenticators } = core.mfa
    await authenticators.claim(tx, user.id)
    const all = await authenticators.ofUser(tx, user.id)
    if (all.length === 0) return []
    // A request that waits for the claim to add another one finds its session ended.
    await core.sessions.endAll(tx, user.id)
    for (const { id } of all) await authenticators.remove(tx, id)
    if (mail !== null) await core.mail.enqueue(tx, mail)
    return all.map(({ type, id }) => `${type} ${id}`)
  })
  core.mail.wake()
  return { user, removed }
}
