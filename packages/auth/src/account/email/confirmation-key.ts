import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailAddress } from '../email-address.ts'

const DAY_SECONDS = 86_400

/** A key for a link that verifies `address`: signed, or kept in a row with `emailConfirmationHmac` off. */
export async function createConfirmationKey(account: Account, request: Visit, address: EmailAddress): Promise<string> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = account.kernel.settings.account
  if (emailConfirmationHmac) return account.kernel.signer.sign(address.id, salt, request.nowMs)
  await account.confirmations.removeOlder(request.db, request.nowMs - emailConfirmationExpireDays * DAY_SECONDS * 1000)
  const key = account.adapter.generateEmailConfirmationKey(address.email)
  await account.confirmations.insert(request.db, address.id, key, request.nowMs)
  return key
}

/** The unverified address that a key is for; `null`: changed, used, too old or never ours. */
export async function findAddressByKey(account: Account, request: Visit, key: string): Promise<EmailAddress | null> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = account.kernel.settings.account
  const maxAgeSeconds = emailConfirmationExpireDays * DAY_SECONDS
  const { nowMs, db } = request
  if (!emailConfirmationHmac) {
    const address = await account.confirmations.find(db, key, nowMs - maxAgeSeconds * 1000)
    return address === null || address.verified ? null : address
  }
  const id = account.kernel.signer.unsign(key, salt, { nowMs, maxAgeSeconds })
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null
  const address = await account.emails.byId(db, id)
  return address === null || address.verified ? null : address
}
