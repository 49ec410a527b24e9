import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { lockClaim } from './claim.sql.ts'
import { foldText } from './same-text.ts'

/** Writes the address that the user's record shows; empty: none. */
export async function setMirror(request: Visit, user: User, email: string): Promise<User> {
  // Read again: another request may have written it since this one began.
  const present = await request.kernel.users.byId(request.db, user.id)
  if (present?.email === email) return present
  const changed = await request.kernel.users.update(request.db, user.id, { email })
  if (request.user?.id === user.id) request.setUser(changed)
  return changed
}

/** Only one request at a time changes the addresses of a user. */
export const claimAddresses = (request: Visit, user: User): Promise<void> =>
  lockClaim(request.kernel, request.db, 'addresses_of', String(user.id))

/**
 * The addresses of a user, primary first. An address that only the user's record has gets its row (unverified, not
 * primary): other programs may have written it.
 */
export async function loadEmailAddresses(
  account: Account,
  request: Visit,
  user: User,
): Promise<readonly EmailAddress[]> {
  const rows = await account.emails.ofUser(request.db, user.id)
  if (user.email === '' || includesAddress(rows, user.email)) return primaryFirst(rows)
  return request.transaction(async () => {
    await claimAddresses(request, user)
    // Read again: this or another request may have removed the address in the meantime.
    const email = (await account.kernel.users.byId(request.db, user.id))?.email.toLowerCase() ?? ''
    const present = await account.emails.ofUser(request.db, user.id)
    if (email === '' || includesAddress(present, email)) return primaryFirst(present)
    const added = await account.emails.insert(request.db, { userId: user.id, email, verified: false, primary: false })
    return primaryFirst([...present, added])
  })
}

const includesAddress = (rows: readonly EmailAddress[], email: string): boolean =>
  rows.some((row) => foldText(row.email) === foldText(email))

/**
 * Returns the user's current address: the primary one, a verified one, or the mirrored one, in that order. With a
 * single address per user, all other rows are pending replacements.
 */
export const currentAddress = <Row extends Omit<EmailAddress, 'id'>>(rows: readonly Row[], user: User): Row | null =>
  rows.find(({ primary }) => primary) ??
  rows.find(({ verified }) => verified) ??
  rows.find(({ email }) => foldText(email) === foldText(user.email)) ??
  null

const primaryFirst = (rows: readonly EmailAddress[]): readonly EmailAddress[] =>
  rows.toSorted((a, b) => Number(b.primary) - Number(a.primary) || a.id - b.id)
