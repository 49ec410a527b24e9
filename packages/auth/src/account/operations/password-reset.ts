import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanNewPassword } from '../password/new-password.ts'
import { requestPasswordReset } from '../password/request-reset.ts'
import { resetByLink, userOfKey } from '../password/reset-by-link.ts'
import { type PendingReset, pendingReset, resetByCode, tryResetCode, userOfReset } from '../password/reset-code.ts'
import { ofField } from '../email/field-errors.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { asWrongTry, withNames } from '../../kernel/operations/input-errors.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Forgotten passwords. */
export const passwordResetResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [requestResource(account), resetResource(account)]

const isByCode = (account: Account): boolean => account.kernel.settings.account.passwordResetByCodeEnabled

/** The reset under way. @throws {AuthError} `flow_wrong_stage` */
function pendingOf(visit: Visit): PendingReset {
  const pending = pendingReset(visit)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const requestResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.requestPasswordReset, async (visit, { email }) => {
      await requestPasswordReset(account, visit, email)
      return isByCode(account) && visit.user === null ? { kind: 'authentication' } : { kind: 'data' }
    }),
  ])

const countWhenInvalid = (account: Account) =>
  asWrongTry('key', async (visit) => {
    if (isByCode(account)) await tryResetCode(account, visit, pendingOf(visit), '')
  })

const resetResource = (account: Account): ApiResource => {
  const invalid = countWhenInvalid(account)
  return createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.getPasswordReset,
        async (visit, { key }) => {
          const { user } = await ownerOf(account, visit, key)
          return { kind: 'data', data: { user: await userData(account.kernel, visit, user) } }
        },
        { invalid },
      ),
      implement(
        ACCOUNT_OPERATIONS.resetPassword,
        async (visit, { key, password: typed }) => {
          const { user, store } = await ownerOf(account, visit, key)
          const password = await cleanNewPassword(account, visit, user, { password: typed, param: 'password' })
          const outcome = await ofField('key', () => store(password))
          return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
        },
        { invalid },
      ),
    ],
    {
      limit: { action: 'reset_password_from_key', per: 'ip' },
      async before(visit) {
        if (isByCode(account)) pendingOf(visit)
        return null
      },
    },
  )
}

/** Whose a good key is, and what stores a new password for it. */
interface Owner {
  readonly user: User
  readonly store: (password: string) => Promise<LoginOutcome | null>
}

/** @throws {InvalidInput} `incorrect_code`, `invalid_password_reset` */
async function ownerOf(account: Account, visit: Visit, key: string): Promise<Owner> {
  const redirectUrl = account.adapter.getLoginRedirectUrl(visit)
  const wrong = (code: string): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'key' })])
  if (!isByCode(account)) {
    const user = await userOfKey(account, visit, key)
    if (user === null) throw wrong('invalid_password_reset')
    return { user, store: (password) => resetByLink(account, visit, key, { user, password, redirectUrl }) }
  }
  const pending = pendingOf(visit)
  const tried = await withNames({ code: 'key' }, () => tryResetCode(account, visit, pending, key))
  const user = tried === 'ended' ? null : await userOfReset(visit, pending.process)
  if (user === null) throw wrong('incorrect_code')
  return { user, store: (password) => resetByCode(account, visit, pending, { user, password, redirectUrl }) }
}
