import { isUniqueViolation } from '@gatepost/sql'
import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import { blocksNewAddresses } from '../../mfa/blocked-addresses.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { canAddAddress } from './address-limit.ts'
import { cleanAddress } from './clean-address.ts'
import { emailCodes, pendingEmailCode, startEmailCode } from './code-verification.ts'
import { announceChange } from './mark-verified.ts'
import { addressesOf, claimAddresses, currentAddress, setMirror } from './mirror.ts'
import { sameText } from './same-text.ts'
import { sendConfirmationLink } from './verification.ts'

/** An address as its owner sees it; without an id it waits for its code and is not stored yet. */
export type ListedAddress = Omit<EmailAddress, 'id'> & { readonly id: number | null }

/** The addresses of a user, primary first, and the one that a code was sent to last. */
export async function listAddresses(core: Core, request: Visit, user: User): Promise<readonly ListedAddress[]> {
  const rows = await addressesOf(core, request, user)
  const pending = core.settings.account.emailVerificationByCodeEnabled ? await pendingEmailCode(core, request) : null
  if (pending === null || rows.some(({ email }) => email === pending.email)) return rows
  return [...rows, { id: null, userId: user.id, email: pending.email, verified: false, primary: false }]
}

/** What a new address must fulfil. @throws {InvalidInput} with the code of what it does not */
export async function cleanNewAddress(core: Core, request: Visit, user: User, typed: string): Promise<string> {
  const refuse = (code: string, values: Readonly<Record<string, number>> = {}): InvalidInput =>
    new InvalidInput([core.adapter.validationError(code, { param: 'email', values })])
  const email = await cleanAddress(core, request, typed)
  const { preventEnumeration, uniqueEmail, maxEmailAddresses } = core.settings.account
  const own = await addressesOf(core, request, user)
  if (own.some((address) => sameText(address.email) === sameText(email))) throw refuse('duplicate_email')
  if (uniqueEmail && preventEnumeration === false) {
    const checked = await core.adapter.validateUniqueEmail(request, email)
    if (await core.emails.isTaken(request.db, checked, user.id)) throw refuse('email_taken')
  }
  if (!canAddAddress(core, own)) throw refuse('max_email_addresses', { max: maxEmailAddresses ?? 0 })
  await core.signals.emit('_add_email', 'User', { request, user, email })
  return email
}

/** Where an added address stands. */
export type Added =
  /** Stored; a link was mailed, unless one was mailed just before. */
  | { readonly kind: 'stored'; readonly address: EmailAddress; readonly sent: boolean }
  /** Stored once the code is typed that was mailed. */
  | { readonly kind: 'code_sent' }

/**
 * Adds a cleaned address; with one address per user it is the one that will replace the old.
 * @throws {InvalidInput} `duplicate_email`, `max_email_addresses`: lost a race
 * @throws {AuthError} `rate_limited`
 */
export async function addAddress(core: Core, request: Visit, user: User, email: string): Promise<Added> {
  if (core.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(core, request, { user, email, signup: false, stage: false })
    return { kind: 'code_sent' }
  }
  const address = await storeAddress(core, request, user, email)
  const sent = await sendConfirmationLink(core, request, { user, address, signup: false })
  return { kind: 'stored', address, sent }
}

async function storeAddress(core: Core, request: Visit, user: User, email: string): Promise<EmailAddress> {
  const refuse = (code: string): InvalidInput =>
    new InvalidInput([
      core.adapter.validationError(code, {
        param: 'email',
        values: { max: core.settings.account.maxEmailAddresses ?? 0 },
      }),
    ])
  try {
    return await request.transaction(async () => {
      await claimAddresses(core, request, user)
      // A second factor may have been set up since the form was looked at.
      if (await blocksNewAddresses(core, request, user)) throw refuse('add_email_blocked')
      const rows = await core.emails.ofUser(request.db, user.id)
      if (rows.some((row) => sameText(row.email) === sameText(email))) throw refuse('duplicate_email')
      if (core.settings.account.changeEmail) await removePending(core, request, user, rows)
      else if (!canAddAddress(core, rows)) throw refuse('max_email_addresses')
      const address = await core.emails.insert(request.db, { userId: user.id, email, verified: false, primary: false })
      await request.afterCommit(() =>
        core.signals.emit('email_added', 'EmailAddress', { request, user, email_address: address }),
      )
      return address
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('duplicate_email')
    throw error
  }
}

/** With one address per user a new one takes the place of that which waits for its verification. */
async function removePending(core: Core, request: Visit, user: User, rows: readonly EmailAddress[]): Promise<void> {
  const current = currentAddress(rows, user)
  for (const row of rows) if (row !== current && !row.verified) await core.emails.remove(request.db, row.id)
}

/** Result of asking for another mail. */
export type Sent = 'link_sent' | 'code_sent' | 'not_sent'

/**
 * Mails another verification of an own address. @throws {AuthError} `rate_limited`, with codes
 */
export async function sendAgain(core: Core, request: Visit, user: User, listed: ListedAddress): Promise<Sent> {
  const { email, id, verified } = listed
  if (verified) return 'not_sent'
  if (core.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(core, request, { user, email, signup: false, stage: false })
    return 'code_sent'
  }
  const address = id === null ? null : await core.emails.byId(request.db, id)
  if (address === null) return 'not_sent'
  return (await sendConfirmationLink(core, request, { user, address, signup: false })) ? 'link_sent' : 'not_sent'
}

/** Whether an address may become the primary one of its user: it is verified, or none is. */
export const canBePrimary = (address: ListedAddress, all: readonly ListedAddress[]): boolean =>
  address.id !== null && (address.verified || !all.some(({ verified }) => verified))

/** @throws {InvalidInput} `unverified_primary_email` */
export async function makePrimary(core: Core, request: Visit, user: User, listed: ListedAddress): Promise<void> {
  const refused = new InvalidInput([core.adapter.validationError('unverified_primary_email', { param: 'email' })])
  await request.transaction(async () => {
    await claimAddresses(core, request, user)
    const rows = await core.emails.ofUser(request.db, user.id)
    const address = rows.find(({ id }) => id === listed.id)
    if (address === undefined || !canBePrimary(address, rows)) throw refused
    const before = rows.find(({ primary }) => primary) ?? null
    if (before?.id !== address.id) await core.emails.makePrimary(request.db, address)
    const changed = await setMirror(core, request, user, address.email)
    if (before?.id !== address.id) {
      await announceChange(core, request, changed, before, { ...address, primary: true })
    }
  })
  await core.adapter.addMessage(request, 'success', 'account/messages/primary_email_set')
}

/** @throws {InvalidInput} `cannot_remove_primary_email` */
export async function removeAddress(core: Core, request: Visit, user: User, listed: ListedAddress): Promise<void> {
  const { email, id } = listed
  if (id !== null) {
    await request.transaction(() => removeStored(core, request, user, id))
  }
  const pending = await pendingEmailCode(core, request)
  if (pending?.email === email) emailCodes(core).drop(request)
  await core.adapter.addMessage(request, 'success', 'account/messages/email_deleted', { email })
}

async function removeStored(core: Core, request: Visit, user: User, id: number): Promise<void> {
  await claimAddresses(core, request, user)
  const address = await core.emails.byId(request.db, id)
  if (address === null || address.userId !== user.id) return
  if (!(await core.adapter.canDeleteEmail(request, address))) {
    throw new InvalidInput([core.adapter.validationError('cannot_remove_primary_email', { param: 'email' })])
  }
  await core.emails.remove(request.db, id)
  const left = await core.emails.ofUser(request.db, user.id)
  let present = (await core.users.byId(request.db, user.id)) ?? user
  if (sameText(present.email) === sameText(address.email)) {
    present = await setMirror(core, request, present, (left.find(({ verified }) => verified) ?? left[0])?.email ?? '')
  }
  await request.afterCommit(() =>
    core.signals.emit('email_removed', 'EmailAddress', { request, user, email_address: address }),
  )
  await core.adapter.sendNotificationMail(request, 'account/email/email_deleted', present, {
    context: { deleted_email: address.email },
  })
}
