import type { Account } from '../account.ts'
import { isUniqueViolation } from '@gatepost/sql'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { canAddAddress, cleanAddress, foldText } from './clean-address.ts'
import { emailCodes, pendingEmailCode, startEmailCode } from './code-verification.ts'
import { announceChange, loadEmailAddresses, claimAddresses, currentAddress, setMirror } from './mirror.ts'
import { sendConfirmationLink } from './verification.ts'

/** An address as its owner sees it; without an id it waits for its code and is not stored yet. */
export type ListedAddress = Omit<EmailAddress, 'id'> & { readonly id: number | null }

/** The addresses of a user, primary first, and the one that a code was sent to last. */
export async function listAddresses(account: Account, request: Visit, user: User): Promise<readonly ListedAddress[]> {
  const rows = await loadEmailAddresses(account, request, user)
  const pending = account.kernel.settings.account.emailVerificationByCodeEnabled
    ? await pendingEmailCode(account, request)
    : null
  if (pending === null || rows.some(({ email }) => email === pending.email)) return rows
  return [...rows, { id: null, userId: user.id, email: pending.email, verified: false, primary: false }]
}

/** Validates a new address. @throws {InvalidInput} with the code of the failed check */
export async function cleanNewAddress(account: Account, request: Visit, user: User, typed: string): Promise<string> {
  const refuse = (code: string, values: Readonly<Record<string, number>> = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'email', values })])
  const email = await cleanAddress(account, request, typed)
  const { preventEnumeration, uniqueEmail, maxEmailAddresses } = account.kernel.settings.account
  const own = await loadEmailAddresses(account, request, user)
  if (own.some((address) => foldText(address.email) === foldText(email))) throw refuse('duplicate_email')
  if (uniqueEmail && preventEnumeration === false) {
    const checked = await account.adapter.validateUniqueEmail(request, email)
    if (await account.emails.isTaken(request.db, checked, user.id)) throw refuse('email_taken')
  }
  if (!canAddAddress(account.kernel, own)) throw refuse('max_email_addresses', { max: maxEmailAddresses ?? 0 })
  await account.signals.emit('_add_email', 'User', { request, user, email })
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
export async function addAddress(account: Account, request: Visit, user: User, email: string): Promise<Added> {
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user, email, signup: false, stage: false })
    return { kind: 'code_sent' }
  }
  const address = await storeAddress(account, request, user, email)
  const sent = await sendConfirmationLink(account, request, { user, address, signup: false })
  return { kind: 'stored', address, sent }
}

async function storeAddress(account: Account, request: Visit, user: User, email: string): Promise<EmailAddress> {
  const refuse = (code: string): InvalidInput =>
    new InvalidInput([
      account.adapter.validationError(code, {
        param: 'email',
        values: { max: account.kernel.settings.account.maxEmailAddresses ?? 0 },
      }),
    ])
  try {
    return await request.transaction(async () => {
      await claimAddresses(request, user)
      // A second factor may have been set up since the form was looked at.
      for (const module of account.kernel.modules) {
        if (await module.blocksNewAddress?.(request, user)) throw refuse('add_email_blocked')
      }
      const rows = await account.emails.ofUser(request.db, user.id)
      if (rows.some((row) => foldText(row.email) === foldText(email))) throw refuse('duplicate_email')
      if (account.kernel.settings.account.changeEmail) await deletePendingAddresses(account, request, user, rows)
      else if (!canAddAddress(account.kernel, rows)) throw refuse('max_email_addresses')
      const address = await account.emails.insert(request.db, {
        userId: user.id,
        email,
        verified: false,
        primary: false,
      })
      await request.afterCommit(() =>
        account.signals.emit('email_added', 'EmailAddress', { request, user, email_address: address }),
      )
      return address
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('duplicate_email')
    throw error
  }
}

/** With one address per user a new one takes the place of that which waits for its verification. */
async function deletePendingAddresses(
  account: Account,
  request: Visit,
  user: User,
  rows: readonly EmailAddress[],
): Promise<void> {
  const current = currentAddress(rows, user)
  for (const row of rows) if (row !== current && !row.verified) await account.emails.remove(request.db, row.id)
}

/** Result of asking for another mail. */
export type Sent = 'link_sent' | 'code_sent' | 'not_sent'

/**
 * Mails another verification of an own address. @throws {AuthError} `rate_limited`, with codes
 */
export async function resendVerification(
  account: Account,
  request: Visit,
  user: User,
  listed: ListedAddress,
): Promise<Sent> {
  const { email, id, verified } = listed
  if (verified) return 'not_sent'
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user, email, signup: false, stage: false })
    return 'code_sent'
  }
  const address = id === null ? null : await account.emails.byId(request.db, id)
  if (address === null) return 'not_sent'
  return (await sendConfirmationLink(account, request, { user, address, signup: false })) ? 'link_sent' : 'not_sent'
}

/** Whether an address may become the primary one of its user: it is verified, or none is. */
export const canBePrimary = (address: ListedAddress, all: readonly ListedAddress[]): boolean =>
  address.id !== null && (address.verified || !all.some(({ verified }) => verified))

/** @throws {InvalidInput} `unverified_primary_email` */
export async function makePrimary(account: Account, request: Visit, user: User, listed: ListedAddress): Promise<void> {
  const refused = new InvalidInput([account.adapter.validationError('unverified_primary_email', { param: 'email' })])
  await request.transaction(async () => {
    await claimAddresses(request, user)
    const rows = await account.emails.ofUser(request.db, user.id)
    const address = rows.find(({ id }) => id === listed.id)
    if (address === undefined || !canBePrimary(address, rows)) throw refused
    const before = rows.find(({ primary }) => primary) ?? null
    if (before?.id !== address.id) await account.emails.makePrimary(request.db, address)
    const changed = await setMirror(request, user, address.email)
    if (before?.id !== address.id) {
      await announceChange(account, request, changed, before, { ...address, primary: true })
    }
  })
  await account.adapter.addMessage(request, 'success', 'account/messages/primary_email_set')
}

/** @throws {InvalidInput} `cannot_remove_primary_email` */
export async function removeAddress(
  account: Account,
  request: Visit,
  user: User,
  listed: ListedAddress,
): Promise<void> {
  const { email, id } = listed
  if (id !== null) {
    await request.transaction(() => removeStored(account, request, user, id))
  }
  const pending = await pendingEmailCode(account, request)
  if (pending?.email === email) emailCodes(account.kernel).drop(request)
  await account.adapter.addMessage(request, 'success', 'account/messages/email_deleted', { email })
}

async function removeStored(account: Account, request: Visit, user: User, id: number): Promise<void> {
  await claimAddresses(request, user)
  const address = await account.emails.byId(request.db, id)
  if (address === null || address.userId !== user.id) return
  if (!(await account.adapter.canDeleteEmail(request, address))) {
    throw new InvalidInput([account.adapter.validationError('cannot_remove_primary_email', { param: 'email' })])
  }
  await account.emails.remove(request.db, id)
  const left = await account.emails.ofUser(request.db, user.id)
  let present = (await account.kernel.users.byId(request.db, user.id)) ?? user
  if (foldText(present.email) === foldText(address.email)) {
    present = await setMirror(request, present, (left.find(({ verified }) => verified) ?? left[0])?.email ?? '')
  }
  await request.afterCommit(() =>
    account.signals.emit('email_removed', 'EmailAddress', { request, user, email_address: address }),
  )
  await account.adapter.sendNotificationMail(request, 'account/email/email_deleted', present, {
    context: { deleted_email: address.email },
  })
}
