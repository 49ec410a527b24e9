import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'
import type { EmailAddress } from '../email-address.ts'
import type { User } from '../../users/user.ts'

/**
 * A user's address as it is stored, for one that was typed. Users are found by any spelling that Unicode holds
 * equivalent; a mail must go to the stored one, as the typed one may be somebody else's mailbox.
 * @see CVE-2019-19844
 */
export async function storedAddress(core: Core, request: AuthRequest, user: User, typed: string): Promise<string> {
  const rows = await core.emails.ofUser(request.db, user.id)
  return rows.find(({ email }) => folded(email) === folded(typed))?.email ?? user.email
}

/** The row of an address that its owner has just proved to have; one that only mirrors the user gets its row now. */
export async function addressRow(core: Core, request: AuthRequest, user: User, email: string): Promise<EmailAddress> {
  const row = await core.emails.find(request.db, user.id, email)
  return row ?? core.emails.insert(request.db, { userId: user.id, email, verified: false, primary: false })
}

const folded = (email: string): string => email.normalize('NFKC').toLowerCase().normalize('NFKC')
