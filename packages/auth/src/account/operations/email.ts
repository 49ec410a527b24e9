import { AuthError, InvalidInput } from '../../errors.ts'
import {
  countInvalidAttempt,
  withFieldNames,
  loginAnswer,
  createResource,
  implement,
  reportOtherErrors,
  type ApiAnswer,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import { releaseSlotOnRetry, takeStageSlot } from '../../kernel/operations/stage-limit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'
import { foldText } from '../email/clean-address.ts'
import {
  checkEmailCode,
  EMAIL_STAGE,
  emailCodes,
  type EmailCodeTried,
  pendingEmailCode,
  type PendingEmailCode,
  resendEmailCode,
  tryEmailCode,
} from '../email/code-verification.ts'
import {
  addAddress,
  canBePrimary,
  cleanNewAddress,
  listAddresses,
  type ListedAddress,
  makePrimary,
  removeAddress,
  resendVerification,
} from '../email/management.ts'
import { loadEmailAddresses } from '../email/mirror.ts'
import { canChangeEmail, changeEmailAtStage } from '../email/stage.ts'
import { findAddressByKey } from '../email/verification.ts'
import { confirmByLink } from '../email/confirm-by-link.ts'
import { requireRecent, requireSignedIn } from '../refusals.ts'
import { resendResource } from './codes.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operations on the user's email addresses. A sign-up that waits for a code can change its address too. */
export const emailResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [addressesResource(account)]

const LIMIT = 'manage_email'

const addressesResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(ACCOUNT_OPERATIONS.listEmails, (visit) => respondWithAddresses(account, visit)),
      implement(ACCOUNT_OPERATIONS.addEmail, (visit, { email }) =>
        visit.user === null ? changeAtStage(account, visit, email) : add(account, visit, email),
      ),
      implement(ACCOUNT_OPERATIONS.sendEmailVerification, async (visit, { email }) => ({
        kind: 'data',
        status: (await sendVerification(account, visit, await requireListedAddress(account, visit, email))) ? 200 : 403,
      })),
      implement(ACCOUNT_OPERATIONS.makeEmailPrimary, (visit, { email }) => prefer(account, visit, email), {
        invalid: reportOtherErrors((visit, { email }) => requirePreferable(account, visit, String(email))),
      }),
      implement(ACCOUNT_OPERATIONS.removeEmail, (visit, { email }) => remove(account, visit, email)),
    ],
    {
      limit: { action: LIMIT, per: 'user' },
      async before(visit, method) {
        if (visit.user !== null) return null
        if (method !== 'POST') return { kind: 'authentication' }
        await takeStageSlot(visit, LIMIT, (await requireChangeableEmail(account, visit)).user)
        return null
      },
    },
  )

const toInvalidInput = (account: Account, code: string, param: string = 'email'): InvalidInput =>
  new InvalidInput([account.adapter.validationError(code, { param })])

async function respondWithAddresses(account: Account, visit: Visit): Promise<ApiAnswer> {
  return { kind: 'data', data: toAddressJson(await listAddresses(account, visit, requireSignedIn(visit))) }
}

type ShownAddress = Pick<ListedAddress, 'email' | 'verified' | 'primary'>

const toAddressJson = (listed: readonly ShownAddress[]): readonly ShownAddress[] =>
  listed.map(({ email, verified, primary }) => ({ email, verified, primary }))

const findListedAddress = (listed: readonly ListedAddress[], typed: string): ListedAddress | undefined =>
  listed.find(({ email }) => foldText(email) === foldText(typed))

/** Returns an address of the signed-in user. @throws {InvalidInput} `unknown_email` */
async function requireListedAddress(account: Account, visit: Visit, typed: string): Promise<ListedAddress> {
  const found = findListedAddress(await listAddresses(account, visit, requireSignedIn(visit)), typed)
  if (found === undefined) throw toInvalidInput(account, 'unknown_email')
  return found
}

/** Requires a recent authentication if the settings do. @throws {AuthError} `reauthentication_required` */
async function requireRecentBySettings(account: Account, visit: Visit): Promise<void> {
  if (account.kernel.settings.account.reauthenticationRequired) await requireRecent(account, visit)
}

async function add(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const user = requireSignedIn(visit)
  const email = await cleanNewAddress(account, visit, user, typed)
  await requireRecentBySettings(account, visit)
  await addAddress(account, visit, user, email)
  return respondWithAddresses(account, visit)
}

/** Sends another verification email. Returns `false` if a rate limit or the number of resends is exceeded. */
async function sendVerification(account: Account, visit: Visit, listed: ListedAddress): Promise<boolean> {
  try {
    if (listed.id !== null)
      return (await resendVerification(account, visit, requireSignedIn(visit), listed)) !== 'not_sent'
    const pending = await pendingEmailCode(account, visit)
    return pending !== null && (await resendEmailCode(account, visit, pending))
  } catch (error) {
    if (error instanceof AuthError && error.code === 'rate_limited') return false
    throw error
  }
}

async function prefer(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const listed = await requirePreferable(account, visit, typed)
  await requireRecentBySettings(account, visit)
  await makePrimary(account, visit, requireSignedIn(visit), listed)
  return respondWithAddresses(account, visit)
}

/** Returns an address that can be primary. @throws {InvalidInput} `unknown_email`, `unverified_primary_email` */
async function requirePreferable(account: Account, visit: Visit, typed: string): Promise<ListedAddress> {
  const all = await listAddresses(account, visit, requireSignedIn(visit))
  const listed = findListedAddress(all, typed)
  if (listed === undefined) throw toInvalidInput(account, 'unknown_email')
  if (!canBePrimary(listed, all)) throw toInvalidInput(account, 'unverified_primary_email')
  return listed
}

/** Removes an address. One that still waits for its code isn't stored yet, and can always be removed. */
async function remove(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const listed = await requireListedAddress(account, visit, typed)
  const { id } = listed
  if (id !== null) {
    if (!(await account.adapter.canDeleteEmail(visit, { ...listed, id }))) {
      throw toInvalidInput(account, 'cannot_remove_primary_email')
    }
    await requireRecentBySettings(account, visit)
  }
  await removeAddress(account, visit, requireSignedIn(visit), listed)
  return respondWithAddresses(account, visit)
}

/** Returns the pending code if its sign-up can still change the address. @throws {AuthError} `flow_wrong_stage` */
async function requireChangeableEmail(account: Account, visit: Visit): Promise<PendingEmailCode> {
  const pending = await pendingEmailCode(account, visit)
  if (pending === null || !canChangeEmail(account.kernel, pending)) throw new AuthError('flow_wrong_stage')
  return pending
}

async function changeAtStage(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const pending = await requireChangeableEmail(account, visit)
  const changed = await releaseSlotOnRetry(visit, () => changeEmailAtStage(account, visit, pending, typed))
  if (!changed) throw new AuthError('flow_wrong_stage')
  const email = emailCodes(account.kernel).current(visit)?.email ?? pending.email
  return { kind: 'data', data: toAddressJson(await addressesAfterChange(account, visit, pending, email)) }
}

/**
 * Returns the same list whether or not the address is taken: it always appears to have replaced the first one. It
 * counts as primary once it's verified.
 */
async function addressesAfterChange(
  account: Account,
  visit: Visit,
  { user, login }: PendingEmailCode,
  email: string,
): Promise<readonly ShownAddress[]> {
  const rows = user === null ? [] : await loadEmailAddresses(account, visit, user)
  const replaced = [login?.email ?? '', email].map(foldText)
  const others = rows.filter((row) => row.verified || !replaced.includes(foldText(row.email)))
  return [...others, { email, verified: false, primary: false }]
}

/** Returns the operations that verify an email address. */
export const emailVerificationResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only
    ? []
    : [
        verifyResource(account),
        resendResource(ACCOUNT_OPERATIONS.resendEmailVerification, {
          requirePending: (visit) => requirePendingCode(account, visit),
          resend: async (visit, pending) => isByCode(account) && resendEmailCode(account, visit, pending),
        }),
      ]

const isByCode = (account: Account): boolean => account.kernel.settings.account.emailVerificationByCodeEnabled

/** Returns the pending code. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingCode(account: Account, visit: Visit): Promise<PendingEmailCode> {
  const pending = await pendingEmailCode(account, visit)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const attempt = async (account: Account, visit: Visit, key: string): Promise<EmailCodeTried> =>
  tryEmailCode(account, visit, await requirePendingCode(account, visit), key)

const countInvalidKey = (account: Account) =>
  countInvalidAttempt('key', async (visit) => {
    if (isByCode(account)) await attempt(account, visit, '')
  })

const verifyResource = (account: Account): ApiResource => {
  const invalid = countInvalidKey(account)
  return createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.getEmailVerification,
        (visit, { key }) => (isByCode(account) ? showCode(account, visit, key) : showLink(account, visit, key)),
        { invalid },
      ),
      implement(
        ACCOUNT_OPERATIONS.verifyEmail,
        (visit, { key }) => (isByCode(account) ? takeCode(account, visit, key) : takeLink(account, visit, key)),
        { invalid },
      ),
    ],
    {
      async before(visit) {
        if (isByCode(account)) await requirePendingCode(account, visit)
        return null
      },
    },
  )
}

async function showCode(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const pending = await requirePendingCode(account, visit)
  const checked = await withFieldNames({ code: 'key' }, () => checkEmailCode(account, visit, pending, key))
  if (checked !== 'right') throw toInvalidInput(account, 'incorrect_code', 'key')
  return toInfo(account, visit, { email: pending.email, user: pending.user, isAuthenticating: pending.login !== null })
}

async function takeCode(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const { login } = await requirePendingCode(account, visit)
  const tried = await withFieldNames({ code: 'key' }, () => attempt(account, visit, key))
  if (tried.kind === 'ended') throw toInvalidInput(account, 'incorrect_code', 'key')
  if (login === null) return { kind: 'authentication' }
  return loginAnswer(await account.login.resume(visit, login))
}

async function showLink(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const address = await findAddress(account, visit, key)
  const [user, login] = [
    await account.kernel.users.byId(visit.db, address.userId),
    await account.login.at(visit, EMAIL_STAGE),
  ]
  return toInfo(account, visit, { email: address.email, user, isAuthenticating: login !== null })
}

async function takeLink(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const { confirmed, outcome } = await confirmByLink(account, visit, await findAddress(account, visit, key))
  if (!confirmed) throw toInvalidInput(account, 'email_taken', 'key')
  return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
}

/** Returns the address that a key verifies. @throws {InvalidInput} `invalid_or_expired_key`, `email_taken` */
async function findAddress(account: Account, visit: Visit, key: string): Promise<EmailAddress> {
  const address = await findAddressByKey(account, visit, key)
  if (address === null) throw toInvalidInput(account, 'invalid_or_expired_key', 'key')
  const unique = account.kernel.settings.account.uniqueEmail
  if (unique && (await account.emails.isVerifiedElsewhere(visit.db, address.email, address.id))) {
    throw toInvalidInput(account, 'email_taken', 'key')
  }
  return address
}

async function toInfo(
  account: Account,
  visit: Visit,
  { email, user, isAuthenticating }: { email: string; user: User | null; isAuthenticating: boolean },
): Promise<ApiAnswer> {
  if (user === null) throw toInvalidInput(account, 'invalid_or_expired_key', 'key') // removed since the address was read
  const data = { email, user: await userData(account.kernel, visit, user) }
  return { kind: 'data', data, meta: { is_authenticating: isAuthenticating } }
}
