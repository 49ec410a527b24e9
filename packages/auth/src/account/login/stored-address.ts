import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { foldText } from '../email/same-text.ts'

/**
 * Returns the stored spelling of a typed address. Users are found by any Unicode-equivalent spelling, but mail must go
 * to the stored one: the typed one may be another person's mailbox.
 * @returns `null` if the user doesn't have the address
 * @see CVE-2019-19844
 */
export async function findStoredAddress(
  account: Account,
  request: Visit,
  user: User,
  typed: string,
): Promise<string | null> {
  if (user.email !== '' && user.email.toLowerCase() === typed.toLowerCase()) return user.email.toLowerCase()
  const rows = await account.emails.ofUser(request.db, user.id)
  const row = rows.find(({ email }) => foldText(email) === foldText(typed))
  return row?.email ?? (user.email === '' ? null : user.email.toLowerCase())
}
