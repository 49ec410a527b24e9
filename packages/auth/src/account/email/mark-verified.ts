import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { claimAddresses, currentAddress, setMirror } from './mirror.ts'

interface Marked {
  readonly user: User
  readonly address: EmailAddress
  /** The primary address before, if it was another one. */
  readonly before: EmailAddress | null
}

/**
 * Marks an address as verified, with everything that follows from it (3.5.3 of the reference): the first one becomes
 * primary; with one address per user it replaces the others. Signals and mails leave after the transaction.
 * @returns `false`: another user has verified it, or it is gone
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
  // Another request was faster and has sent the signals.
  if (row.verified) return true
  const unique = account.kernel.settings.account.uniqueEmail
  if (unique && (await account.emails.isVerifiedElsewhere(request.db, given.email, given.id))) return false
  const address = await account.emails.markVerified(request.db, given.id)
  if (address === null) return false
  const others = (await account.emails.ofUser(request.db, user.id)).filter(({ id }) => id !== address.id)
  const before = others.find(({ primary }) => primary) ?? null
  const marked = { user, address, before }
  await request.afterCommit(() =>
    account.signals.emit('email_confirmed', 'EmailAddress', { request, email_address: address, user }),
  )
  if (account.kernel.settings.account.changeEmail) await replaceOthers(account, request, marked, others)
  else if (before === null) await becomePrimary(account, request, marked)
  else {
    await account.adapter.sendNotificationMail(request, 'account/email/email_confirm', user, {
      email: before.email,
      context: { confirmed_email: address.email },
    })
  }
  return true
}

async function becomePrimary(account: Account, request: Visit, { user, address }: Marked): Promise<void> {
  if (!address.primary) await account.emails.makePrimary(request.db, address)
  await setMirror(request, user, address.email)
}

/** One address per user: the verified one stays, and the old one is told. */
async function replaceOthers(
  account: Account,
  request: Visit,
  marked: Marked,
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
