import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailAddress } from '../email-address.ts'

const DAY_SECONDS = 86_400

/** A key for a link that verifies `address`: signed, or kept in a row with `emailConfirmationHmac` off. */
export async function newConfirmationKey(core: Core, request: Visit, address: EmailAddress): Promise<string> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = core.settings.account
  if (emailConfirmationHmac) return core.signer.sign(address.id, salt, request.nowMs)
  await core.confirmations.removeOlder(request.db, request.nowMs - emailConfirmationExpireDays * DAY_SECONDS * 1000)
  const key = core.adapter.generateEmailConfirmationKey(address.email)
  await core.confirmations.insert(request.db, address.id, key, request.nowMs)
  return key
}

/** The unverified address that a key is for; `null`: changed, used, too old or never ours. */
export async function addressOfKey(core: Core, request: Visit, key: string): Promise<EmailAddress | null> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = core.settings.account
  const maxAgeSeconds = emailConfirmationExpireDays * DAY_SECONDS
  const { nowMs, db } = request
  if (!emailConfirmationHmac) {
    const address = await core.confirmations.find(db, key, nowMs - maxAgeSeconds * 1000)
    return address === null || address.verified ? null : address
  }
  const id = core.signer.unsign(key, salt, { nowMs, maxAgeSeconds })
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null
  const address = await core.emails.byId(db, id)
  return address === null || address.verified ? null : address
}
