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

/** An address as shown to its owner. Without an ID, it's waiting for its code and isn't stored yet. */
export type ListedAddress = Omit<EmailAddress, 'id'> & { readonly id: number | null }

/** Returns the user's addresses, primary first, followed by one that waits for its code. */
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

/** Result of adding an address. */
export type AddAddressResult =
  /** Stored. `sent` is `false` if no link was mailed, for example because of the rate limit. */
  | { readonly kind: 'stored'; readonly address: EmailAddress; readonly sent: boolean }
  /** A code was mailed. The address will be stored once the code is entered. */
  | { readonly kind: 'code_sent' }

/**
 * Adds an address cleaned by `cleanNewAddress`. With one address per user, it replaces the current one once verified.
 * @throws {InvalidInput} `duplicate_email`, `max_email_addresses`, `add_email_blocked` if something has changed since
 *   it was cleaned
 * @throws {AuthError} `rate_limited`
 */
export async function addAddress(
  account: Account,
  request: Visit,
  user: User,
  email: string,
): Promise<AddAddressResult> {
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
      // A second factor may have been set up since the address was cleaned.
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
        account.signals.emit('email_added', 'User', { request, user, email_address: address }),
      )
      return address
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('duplicate_email')
    throw error
  }
}

/** Deletes pending replacements: with one address per user, a new one supersedes them. */
async function deletePendingAddresses(
  account: Account,
  request: Visit,
  user: User,
  rows: readonly EmailAddress[],
): Promise<void> {
  const current = currentAddress(rows, user)
  for (const row of rows) if (row !== current && !row.verified) await account.emails.remove(request.db, row.id)
}

/** Result of requesting another mail. */
export type Sent = 'link_sent' | 'code_sent' | 'not_sent'

/**
 * Mails another verification for one of the user's addresses. @throws {AuthError} `rate_limited`, only with codes
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

/** Returns whether an address can become primary: it's verified, or none of the user's addresses is. */
export const canBePrimary = (address: ListedAddress, all: readonly ListedAddress[]): boolean =>
  address.id !== null && (address.verified || !all.some(({ verified }) => verified))

/** Makes an address primary. @throws {InvalidInput} `unverified_primary_email` */
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

/** Removes an address, and its pending code. @throws {InvalidInput} `cannot_remove_primary_email` */
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
