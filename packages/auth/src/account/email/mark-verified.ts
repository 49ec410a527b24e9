import type { Core } from '../../core.ts'
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
export async function markVerified(core: Core, request: Visit, address: EmailAddress): Promise<boolean> {
  if (!(await request.transaction(() => mark(core, request, address)))) {
    await core.adapter.addMessage(request, 'error', 'account/messages/email_confirmation_failed', {
      email: address.email,
    })
    return false
  }
  await core.adapter.addMessage(request, 'success', 'account/messages/email_confirmed', { email: address.email })
  return true
}

async function mark(core: Core, request: Visit, given: EmailAddress): Promise<boolean> {
  const user = await core.users.byId(request.db, given.userId)
  if (user === null) return false
  await claimAddresses(core, request, user)
  const row = await core.emails.byId(request.db, given.id)
  if (row === null || row.email !== given.email) return false
  // Another request was faster, and has told everybody.
  if (row.verified) return true
  const unique = core.settings.account.uniqueEmail
  if (unique && (await core.emails.isVerifiedElsewhere(request.db, given.email, given.id))) return false
  const address = await core.emails.markVerified(request.db, given.id)
  if (address === null) return false
  const others = (await core.emails.ofUser(request.db, user.id)).filter(({ id }) => id !== address.id)
  const before = others.find(({ primary }) => primary) ?? null
  const marked = { user, address, before }
  await request.afterCommit(() =>
    core.signals.emit('email_confirmed', 'EmailAddress', { request, email_address: address, user }),
  )
  if (core.settings.account.changeEmail) await replaceOthers(core, request, marked, others)
  else if (before === null) await becomePrimary(core, request, marked)
  else {
    await core.adapter.sendNotificationMail(request, 'account/email/email_confirm', user, {
      email: before.email,
      context: { confirmed_email: address.email },
    })
  }
  return true
}

async function becomePrimary(core: Core, request: Visit, { user, address }: Marked): Promise<void> {
  if (!address.primary) await core.emails.makePrimary(request.db, address)
  await setMirror(core, request, user, address.email)
}

/** One address per user: the verified one stays, and the old one is told. */
async function replaceOthers(
  core: Core,
  request: Visit,
  marked: Marked,
  others: readonly EmailAddress[],
): Promise<void> {
  const { user, address } = marked
  const before = currentAddress(others, user)
  for (const { id } of others) await core.emails.remove(request.db, id)
  await becomePrimary(core, request, marked)
  if (before === null) return
  await announceChange(core, request, user, before, { ...address, primary: true })
}

/** Tells receivers, and the old address, that the user's address is another one now. */
export async function announceChange(
  core: Core,
  request: Visit,
  user: User,
  from: EmailAddress | null,
  to: EmailAddress,
): Promise<void> {
  await request.afterCommit(() =>
    core.signals.emit('email_changed', 'EmailAddress', {
      request,
      user,
      from_email_address: from,
      to_email_address: to,
    }),
  )
  if (from === null) return
  await core.adapter.sendNotificationMail(request, 'account/email/email_changed', user, {
    email: from.email,
    context: { from_email: from.email, to_email: to.email },
  })
}
