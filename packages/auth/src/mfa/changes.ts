import { createHmac } from 'node:crypto'
import type { Account } from '../account/account.ts'
import { claimAddresses, loadEmailAddresses } from '../account/email/mirror.ts'
import { InvalidInput } from '../errors.ts'
import type { RandomBytes } from '../kernel/io.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Authenticator, AuthenticatorAdded, NewAuthenticator } from './mfa.ts'
import type { Mfa } from './second-factors.ts'
import { isPrimaryFactor } from './uses.ts'

/**
 * Stores an authenticator together with the session, and recovery codes if they're enabled and the user has none. Emits
 * signals after the commit.
 * @param options.silent Skips the check of addresses and the recovery codes, for sign-up.
 * @throws {InvalidInput} `unverified_email`, if an address was added since the caller checked
 * @throws {AuthError} `session_conflict`
 */
export async function addAuthenticator(
  mfa: Mfa,
  request: Visit,
  user: User,
  { type, data }: Pick<NewAuthenticator, 'type' | 'data'>,
  { silent = false }: { readonly silent?: boolean } = {},
): Promise<AuthenticatorAdded> {
  const store = mfa.authenticators
  return request.transaction(async () => {
    if (!silent) {
      await claimAddresses(request, user)
      await requireVerifiedEmail(mfa.account, request, user)
    }
    await store.lock(request.db, user.id)
    // Committed only after the lock, because requests that use a factor also commit their session under it.
    await request.session.commit()
    const before = await store.ofUser(request.db, user.id)
    const row = { userId: user.id, createdAtMs: request.nowMs }
    const authenticator = await store.insert(request.db, { ...row, type, data })
    await emitAdded(mfa, request, user, authenticator)
    if (isPrimaryFactor(authenticator) && !before.some(isPrimaryFactor)) {
      const event = { request, user, authenticator }
      await request.afterCommit(() => mfa.signals.emit('mfa_enabled', 'User', event))
    }
    const hasCodes = [...before, authenticator].some((other) => !isPrimaryFactor(other))
    if (silent || hasCodes || !mfa.kernel.settings.mfa.supportedTypes.includes('recovery_codes')) {
      return { authenticator, recoveryCodesGenerated: false }
    }
    const codes = await store.insert(request.db, { ...row, type: 'recovery_codes', data: createRecoveryCodes(mfa) })
    await emitAdded(mfa, request, user, codes)
    return { authenticator, recoveryCodesGenerated: true }
  })
}

/** Returns the data of a new set of recovery codes, none of them used. */
export const createRecoveryCodes = (mfa: Mfa): NewAuthenticator['data'] => ({
  seed: mfa.adapter.encrypt(createSeed(mfa.kernel.random)),
  used_mask: 0,
})

async function emitAdded(mfa: Mfa, request: Visit, user: User, authenticator: Authenticator): Promise<void> {
  const event = { request, user, authenticator }
  await request.afterCommit(async () => {
    await mfa.signals.emit('authenticator_added', 'Authenticator', event)
    await mfa.signals.emit('authenticator_created', 'User', event)
  })
}

/**
 * Removes authenticators of the user, and recovery codes if no other factor is left. Skips those already removed or
 * owned by other users. Emits signals after the commit.
 * @returns the removed authenticators
 * @throws {InvalidInput} `cannot_delete_authenticator`: nothing is removed
 */
export async function removeAuthenticators(
  mfa: Mfa,
  request: Visit,
  user: User,
  list: readonly Authenticator[],
): Promise<readonly Authenticator[]> {
  const store = mfa.authenticators
  return request.transaction(async () => {
    await store.lock(request.db, user.id)
    const before = await store.ofUser(request.db, user.id)
    const chosen = before.filter(({ id }) => list.some((given) => given.id === id))
    for (const authenticator of chosen) await checkDeletable(mfa, request, authenticator)
    const left = before.filter((row) => !chosen.includes(row))
    const removed = chosen.length > 0 && !left.some(isPrimaryFactor) ? [...chosen, ...left] : chosen
    for (const { id } of removed) await store.remove(request.db, id)
    await emitRemoved(mfa, request, user, { before, removed })
    return removed
  })
}

/** Removes all authenticators of an account that someone else may have set them up in. Sends no mail. */
export async function evictAuthenticators(mfa: Mfa, request: Visit, user: User): Promise<void> {
  const store = mfa.authenticators
  await store.lock(request.db, user.id)
  const all = await store.ofUser(request.db, user.id)
  for (const { id } of all) await store.remove(request.db, id)
  await emitRemoved(mfa, request, user, { before: all, removed: all })
}

async function checkDeletable(mfa: Mfa, request: Visit, authenticator: Authenticator): Promise<void> {
  if (await mfa.adapter.canDeleteAuthenticator(request, authenticator)) return
  throw new InvalidInput([mfa.account.adapter.validationError('cannot_delete_authenticator')])
}

async function emitRemoved(
  mfa: Mfa,
  request: Visit,
  user: User,
  { before, removed }: { readonly before: readonly Authenticator[]; readonly removed: readonly Authenticator[] },
): Promise<void> {
  for (const authenticator of removed) {
    const event = { request, user, authenticator }
    await request.afterCommit(() => mfa.signals.emit('authenticator_removed', 'Authenticator', event))
  }
  const last = removed.findLast(isPrimaryFactor)
  if (last === undefined || before.some((row) => isPrimaryFactor(row) && !removed.includes(row))) return
  const event = { request, user, authenticator: last }
  await request.afterCommit(() => mfa.signals.emit('mfa_disabled', 'User', event))
}

/**
 * Shows a message on the next page and mails that an authenticator was added; the page mentions new recovery codes.
 * Call it in the transaction of `addAuthenticator`, so that the mail is sent with it.
 * @param name Name of the message and of the mail.
 */
export async function notifyAdded(
  mfa: Mfa,
  request: Visit,
  user: User,
  { recoveryCodesGenerated }: AuthenticatorAdded,
  name: 'totp_activated' | 'webauthn_added',
): Promise<void> {
  await mfa.adapter.sendNotificationMail(request, `mfa/email/${name}`, user)
  await request.afterCommit(() => mfa.account.adapter.addMessage(request, 'success', `mfa/messages/${name}`))
  if (recoveryCodesGenerated) await request.afterCommit(() => notifyCodesGenerated(mfa.account, request))
}

/** Does the same as `notifyAdded` for an authenticator that was removed. */
export async function notifyRemoved(
  mfa: Mfa,
  request: Visit,
  user: User,
  name: 'totp_deactivated' | 'webauthn_removed',
): Promise<void> {
  await mfa.adapter.sendNotificationMail(request, `mfa/email/${name}`, user)
  await request.afterCommit(() => mfa.account.adapter.addMessage(request, 'success', `mfa/messages/${name}`))
}

/** Shows a message on the next page about new recovery codes; more urgent with `recoveryCodesShowOnce`. */
export async function notifyCodesGenerated(account: Account, request: Visit): Promise<void> {
  const { recoveryCodesShowOnce } = account.kernel.settings.mfa
  await account.adapter.addMessage(
    request,
    recoveryCodesShowOnce ? 'warning' : 'success',
    'mfa/messages/recovery_codes_generated',
    { MFA_RECOVERY_CODES_SHOW_ONCE: recoveryCodesShowOnce },
  )
}

/**
 * Rejects a second factor for a user with an unverified address: someone who signs up with another person's address
 * could lock the owner out with it.
 * @param param Field that the error is reported for; if omitted, the whole form.
 * @throws {InvalidInput} `unverified_email`
 */
export async function requireVerifiedEmail(
  account: Account,
  request: Visit,
  user: User,
  param?: string,
): Promise<void> {
  if (account.kernel.settings.mfa.allowUnverifiedEmail) return
  const addresses = await loadEmailAddresses(account, request, user)
  if (addresses.every(({ verified }) => verified)) return
  const field = param === undefined ? {} : { param }
  throw new InvalidInput([account.adapter.validationError('unverified_email', field)])
}

/**
 * Returns whether a second factor forbids adding an address, which would stay unverified for a while: someone who
 * signs up with another person's address could lock the owner out. With codes, an address is stored only once it is
 * verified.
 */
export async function hasMfaAddressConflict(mfa: Mfa, request: Visit, user: User): Promise<boolean> {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled || settings.allowUnverifiedEmail || account.emailVerificationByCodeEnabled) return false
  return mfa.adapter.isMfaEnabled(request, user)
}

/** Refuses to add such addresses. */
export function guardAddresses(mfa: Mfa): void {
  mfa.account.signals.on('_add_email', async ({ request, user }) => {
    if (request === null || !(await hasMfaAddressConflict(mfa, request, user))) return
    throw new InvalidInput([mfa.account.adapter.validationError('add_email_blocked', { param: 'email' })])
  })
}

const SEED_BYTES = 40
const SHA1_BYTES = 20

/** Returns a seed, from which all codes of a set are derived: 80 hex digits. */
export const createSeed = (random: RandomBytes): string => random(SEED_BYTES).toString('hex')

/**
 * Derives the codes of a seed. Each is a truncated HMAC-SHA1 of all indexes up to its own, each padded to three
 * characters and followed by a comma.
 * @param seed ASCII, the key of the HMAC as it is. @param digits Length of each code.
 */
export function deriveCodes(seed: string, { count, digits }: { count: number; digits: number }): readonly string[] {
  const bytes = Math.min(Math.floor(digits / 2), SHA1_BYTES)
  let message = ''
  return Array.from({ length: count }, (_, index) => {
    message += `${String(index).padStart(3)},`
    const digest = createHmac('sha1', seed).update(message).digest('hex')
    const value = BigInt(`0x${digest.slice(0, bytes * 2)}`) % 10n ** BigInt(digits)
    return String(value).padStart(digits, '0')
  })
}
