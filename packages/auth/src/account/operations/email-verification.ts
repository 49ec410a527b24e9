import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { checkEmailCode } from '../email/check-code.ts'
import {
  canResendEmailCode,
  EMAIL_STAGE,
  type EmailCodeTried,
  type PendingEmailCode,
  pendingEmailCode,
  resendEmailCode,
  tryEmailCode,
} from '../email/code-verification.ts'
import { confirmByLink } from '../email/confirm-by-link.ts'
import { findAddressByKey } from '../email/confirmation-key.ts'
import type { EmailAddress } from '../email-address.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { countInvalidAttempt, withFieldNames } from '../../kernel/operations/input-errors.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Proving that an address is one's own. */
export const emailVerificationResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [verifyResource(account), resendResource(account)]

const isByCode = (account: Account): boolean => account.kernel.settings.account.emailVerificationByCodeEnabled

/** The code that is waited for. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingCode(account: Account, visit: Visit): Promise<PendingEmailCode> {
  const pending = await pendingEmailCode(account, visit)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const attempt = async (account: Account, visit: Visit, key: string): Promise<EmailCodeTried> =>
  tryEmailCode(account, visit, await requirePendingCode(account, visit), key)

const countWhenInvalid = (account: Account) =>
  countInvalidAttempt('key', async (visit) => {
    if (isByCode(account)) await attempt(account, visit, '')
  })

const verifyResource = (account: Account): ApiResource => {
  const invalid = countWhenInvalid(account)
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

const resendResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.resendEmailVerification, async (visit) => {
      const pending = isByCode(account) ? await requirePendingCode(account, visit) : null
      if (pending === null || !canResendEmailCode(account.kernel, pending)) throw new AuthError('flow_wrong_stage')
      await resendEmailCode(account, visit, pending)
      return { kind: 'data' }
    }),
  ])

const wrong = (account: Account, code: string): InvalidInput =>
  new InvalidInput([account.adapter.validationError(code, { param: 'key' })])

async function showCode(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const pending = await requirePendingCode(account, visit)
  const checked = await withFieldNames({ code: 'key' }, () => checkEmailCode(account, visit, pending, key))
  if (checked !== 'right') throw wrong(account, 'incorrect_code')
  return toInfo(account, visit, { email: pending.email, user: pending.user, isAuthenticating: pending.login !== null })
}

async function takeCode(account: Account, visit: Visit, key: string): Promise<ApiAnswer> {
  const { login } = await requirePendingCode(account, visit)
  const tried = await withFieldNames({ code: 'key' }, () => attempt(account, visit, key))
  if (tried.kind === 'ended') throw wrong(account, 'incorrect_code')
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
  if (!confirmed) throw wrong(account, 'email_taken')
  return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
}

/** The address of a key that may still be verified. @throws {InvalidInput} */
async function findAddress(account: Account, visit: Visit, key: string): Promise<EmailAddress> {
  const address = await findAddressByKey(account, visit, key)
  if (address === null) throw wrong(account, 'invalid_or_expired_key')
  const unique = account.kernel.settings.account.uniqueEmail
  if (unique && (await account.emails.isVerifiedElsewhere(visit.db, address.email, address.id))) {
    throw wrong(account, 'email_taken')
  }
  return address
}

async function toInfo(
  account: Account,
  visit: Visit,
  { email, user, isAuthenticating }: { email: string; user: User | null; isAuthenticating: boolean },
): Promise<ApiAnswer> {
  if (user === null) throw wrong(account, 'invalid_or_expired_key') // removed since the address was read
  const data = { email, user: await userData(account.kernel, visit, user) }
  return { kind: 'data', data, meta: { is_authenticating: isAuthenticating } }
}
