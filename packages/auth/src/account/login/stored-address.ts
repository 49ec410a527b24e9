import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { sameText } from '../email/same-text.ts'

/**
 * A user's address as it is stored, for one that was typed. Users are found by any spelling that Unicode holds
 * equivalent; a mail must go to the stored one, as the typed one may be somebody else's mailbox.
 * @returns `null` when the user has no such address, and none in their record
 * @see CVE-2019-19844
 */
export async function storedAddress(
  account: Account,
  request: Visit,
  user: User,
  typed: string,
): Promise<string | null> {
  if (user.email !== '' && user.email.toLowerCase() === typed.toLowerCase()) return user.email.toLowerCase()
  const rows = await account.emails.ofUser(request.db, user.id)
  const row = rows.find(({ email }) => sameText(email) === sameText(typed))
  return row?.email ?? (user.email === '' ? null : user.email.toLowerCase())
}
