import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'
import { lockClaim } from '../contact-stores.sql.ts'
import { foldText } from './clean-address.ts'
import { evictOthers, isFirstProof } from './first-proof.ts'

/** Sets the mirrored address in the user's record; empty means none. */
export async function setMirror(request: Visit, user: User, email: string): Promise<User> {
  // Read again: another request may have changed it since this one began.
  const present = await request.kernel.users.byId(request.db, user.id)
  if (present?.email === email) return present
  const changed = await request.kernel.users.update(request.db, user.id, { email })
  if (request.user?.id === user.id) request.setUser(changed)
  return changed
}

/** Locks the user's addresses, so that only one request at a time changes them. */
export const claimAddresses = (request: Visit, user: User): Promise<void> =>
  lockClaim(request.kernel, request.db, 'addresses_of', String(user.id))

/**
 * Returns the user's addresses, primary first. If only the user's record has an address, because another program wrote
 * it, adds a row for it (unverified, not primary).
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

interface MarkedAddress {
  readonly user: User
  readonly address: EmailAddress
  /** The previous primary address, if it was a different one. */
  readonly before: EmailAddress | null
}

/**
 * Marks an address as verified, with all side effects (3.5.3 of the reference): it becomes primary if no other is; with
 * one address per user, it replaces the others. Signals and mails are sent after the transaction.
 * @returns `false` if it's gone or another user has verified it
 */
export async function markVerified(account: Account, request: Visit, address: EmailAddress): Promise<boolean> {
  if (!(await request.transaction(() => mark(account, request, address)))) {
    await account.adapter.addMessage(request, 'error', 'account/messages/email_confirmation_failed', {
      email: address.email,
    })
    return false
  }
  await account.adapter.addMessage(request, 'success', 'account/messages/email_confirmed', { email: address.email })
  return true
}

async function mark(account: Account, request: Visit, given: EmailAddress): Promise<boolean> {
  const user = await account.kernel.users.byId(request.db, given.userId)
  if (user === null) return false
  await claimAddresses(request, user)
  const row = await account.emails.byId(request.db, given.id)
  if (row === null || row.email !== given.email) return false
  // Another request has already verified it and emitted the signals.
  if (row.verified) return true
  const unique = account.kernel.settings.account.uniqueEmail
  if (unique && (await account.emails.isVerifiedElsewhere(request.db, given.email, given.id))) return false
  const rows = await account.emails.ofUser(request.db, user.id)
  const address = await account.emails.markVerified(request.db, given.id)
  if (address === null) return false
  const others = rows.filter(({ id }) => id !== address.id)
  const before = others.find(({ primary }) => primary) ?? null
  const marked = { user, address, before }
  await request.afterCommit(() =>
    account.signals.emit('email_confirmed', 'User', { request, email_address: address, user }),
  )
  const { changeEmail, signupFields } = account.kernel.settings.account
  if (changeEmail) await replaceOthers(account, request, marked, others)
  else if (before === null) await becomePrimary(account, request, marked)
  else {
    await account.adapter.sendNotificationMail(request, 'account/email/email_confirm', user, {
      email: before.email,
      context: { confirmed_email: address.email },
    })
  }
  if ((changeEmail || before === null) && isFirstProof(rows, row)) {
    const keepsPhone = signupFields.some(({ name }) => name === 'phone')
    await evictOthers(account, request, user, { owned: address, keepsPhone })
  }
  return true
}

async function becomePrimary(
  account: Account,
  request: Visit,
  { user, address }: Pick<MarkedAddress, 'user' | 'address'>,
): Promise<void> {
  if (!address.primary) await account.emails.makePrimary(request.db, address)
  await setMirror(request, user, address.email)
}

/**
 * Gives an account to the owner of `email`, one of its addresses, if that is the first proof of whose it is. Runs in the
 * transaction that relies on the proof. Returns whether it was.
 */
export async function giveUnprovenToOwner(
  account: Account,
  request: Visit,
  user: User,
  email: string,
): Promise<boolean> {
  const rows = await loadEmailAddresses(account, request, user)
  const owned = rows.find((row) => foldText(row.email) === foldText(email))
  if (owned === undefined || !isFirstProof(rows, owned)) return false
  await evictOthers(account, request, user, { owned, keepsPhone: false })
  await becomePrimary(account, request, { user, address: owned })
  return true
}

/** With one address per user, keeps only the verified one and notifies the previous one. */
async function replaceOthers(
  account: Account,
  request: Visit,
  marked: MarkedAddress,
  others: readonly EmailAddress[],
): Promise<void> {
  const { user, address } = marked
  const before = currentAddress(others, user)
  for (const { id } of others) await account.emails.remove(request.db, id)
  await becomePrimary(account, request, marked)
  if (before === null) return
  await announceChange(account, request, user, before, { ...address, primary: true })
}

/** Emits the signal of a changed address and notifies the old one. */
export async function announceChange(
  account: Account,
  request: Visit,
  user: User,
  from: EmailAddress | null,
  to: EmailAddress,
): Promise<void> {
  await request.afterCommit(() =>
    account.signals.emit('email_changed', 'EmailAddress', {
      request,
      user,
      from_email_address: from,
      to_email_address: to,
    }),
  )
  if (from === null) return
  await account.adapter.sendNotificationMail(request, 'account/email/email_changed', user, {
    email: from.email,
    context: { from_email: from.email, to_email: to.email },
  })
}
