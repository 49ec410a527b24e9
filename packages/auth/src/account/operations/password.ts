import { AuthError, InvalidInput } from '../../errors.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import {
  countInvalidAttempt,
  withFieldNames,
  loginAnswer,
  createResource,
  implement,
  reportOtherErrors,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/clean-address.ts'
import { checkPasswordChange, storeOwnPassword } from '../password/change.ts'
import { runChecks, cleanNewPassword } from '../password/new-password.ts'
import {
  requestPasswordReset,
  pendingReset,
  resetByCode,
  tryResetCode,
  findResetUser,
  type PendingReset,
} from '../password/reset-code.ts'
import { resetByLink, findUserByResetLink } from '../password/reset-pages.ts'
import { requireSignedIn } from '../refusals.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operations that reset a forgotten password. */
export const passwordResetResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [requestResource(account), resetResource(account)]

const isByCode = (account: Account): boolean => account.kernel.settings.account.passwordResetByCodeEnabled

/** Returns the pending reset. @throws {AuthError} `flow_wrong_stage` */
function requirePendingReset(visit: Visit): PendingReset {
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

const countInvalidKey = (account: Account) =>
  countInvalidAttempt('key', async (visit) => {
    if (isByCode(account)) await tryResetCode(account, visit, requirePendingReset(visit), '')
  })

const resetResource = (account: Account): ApiResource => {
  const invalid = countInvalidKey(account)
  return createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.getPasswordReset,
        async (visit, { key }) => {
          const { user } = await requireKeyOwner(account, visit, key)
          return { kind: 'data', data: { user: await userData(account.kernel, visit, user) } }
        },
        { invalid },
      ),
      implement(
        ACCOUNT_OPERATIONS.resetPassword,
        async (visit, { key, password: typed }) => {
          const { user, store } = await requireKeyOwner(account, visit, key)
          const password = await cleanNewPassword(account, visit, user, { password: typed, param: 'password' })
          const outcome = await withFieldErrors('key', () => store(password))
          return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
        },
        { invalid },
      ),
    ],
    {
      limit: { action: 'reset_password_from_key', per: 'ip' },
      async before(visit) {
        if (isByCode(account)) requirePendingReset(visit)
        return null
      },
    },
  )
}

/** The user of a valid key. */
interface KeyOwner {
  readonly user: User
  /** Stores the new password. Returns `null` if that doesn't sign the user in. */
  readonly store: (password: string) => Promise<LoginOutcome | null>
}

/** Returns the user of a key or code. @throws {InvalidInput} `incorrect_code`, `invalid_password_reset` */
async function requireKeyOwner(account: Account, visit: Visit, key: string): Promise<KeyOwner> {
  const redirectUrl = account.adapter.getLoginRedirectUrl(visit)
  const wrong = (code: string): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'key' })])
  if (!isByCode(account)) {
    const user = await findUserByResetLink(account, visit, key)
    if (user === null) throw wrong('invalid_password_reset')
    return { user, store: (password) => resetByLink(account, visit, key, { user, password, redirectUrl }) }
  }
  const pending = requirePendingReset(visit)
  const tried = await withFieldNames({ code: 'key' }, () => tryResetCode(account, visit, pending, key))
  const user = tried === 'ended' ? null : await findResetUser(visit, pending.process)
  if (user === null) throw wrong('incorrect_code')
  return { user, store: (password) => resetByCode(account, visit, pending, { user, password, redirectUrl }) }
}

/** Returns the operation that changes the password, or sets the first one. */
export const passwordChangeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [changeResource(account)]

const PARAMS = { oldPassword: 'current_password', password: 'new_password' } as const

const changeResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.changePassword,
        async (visit, { current_password: oldPassword = '', new_password: password = '' }) => {
          const user = requireSignedIn(visit)
          await storeOwnPassword(
            account,
            visit,
            user,
            await checkChange(account, visit, user, { oldPassword, password }),
          )
          return { kind: 'authentication' }
        },
        {
          fields: ({ user }) =>
            ACCOUNT_OPERATIONS.changePassword.input.map((field) =>
              field.name === PARAMS.oldPassword ? { ...field, required: user?.hasUsablePassword === true } : field,
            ),
          invalid: reportOtherErrors((visit, { current_password: oldPassword = '', new_password: password = '' }) =>
            checkChange(account, visit, requireSignedIn(visit), {
              oldPassword: String(oldPassword),
              password: String(password),
            }),
          ),
        },
      ),
    ],
    { limit: { action: 'change_password', per: 'user' } },
  )

/** Returns the password to store. @throws {InvalidInput} with all errors */
async function checkChange(
  account: Account,
  visit: Visit,
  user: User,
  { oldPassword, password }: { readonly oldPassword: string; readonly password: string },
): Promise<string> {
  if (user.hasUsablePassword) {
    return checkPasswordChange(account, visit, user, { oldPassword, password, params: PARAMS })
  }
  let cleaned = password
  await runChecks(
    async () => {
      if (oldPassword === '') return
      throw new InvalidInput([account.adapter.validationError('enter_current_password', { param: PARAMS.oldPassword })])
    },
    async () => {
      cleaned = await cleanNewPassword(account, visit, user, { password, param: PARAMS.password })
    },
  )
  return cleaned
}
