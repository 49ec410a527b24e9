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
import { type ApiAnswer, type ApiResource, operation } from '../../kernel/operations/operation.ts'
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

const requestResource = (account: Account): ApiResource => ({
  path: 'auth/password/request',
  tag: 'Password reset',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Mails what resets the password of whoever has this address',
      input: [{ name: 'email', kind: 'email', required: true, maxLength: 320 }],
      answers: { 200: 'Status', 401: 'AuthenticationFlows' },
      async handle(visit, { email }) {
        await requestPasswordReset(account, visit, email)
        return isByCode(account) && visit.user === null ? { kind: 'authentication' } : { kind: 'data' }
      },
    }),
  },
})

const countWhenInvalid = (account: Account) =>
  asWrongTry('key', async (visit) => {
    if (isByCode(account)) await tryResetCode(account, visit, pendingOf(visit), '')
  })

const resetResource = (account: Account): ApiResource => ({
  path: 'auth/password/reset',
  tag: 'Password reset',
  access: 'anon',
  limit: { action: 'reset_password_from_key', per: 'ip' },
  async before(visit) {
    if (isByCode(account)) pendingOf(visit)
    return null
  },
  operations: {
    GET: operation({
      summary: 'Tells whose password the key of a mailed link, or a code, resets',
      input: [{ name: 'key', kind: 'text', required: true, header: 'X-Password-Reset-Key' }],
      answers: { 200: 'PasswordResetInfo', 409: 'Status' },
      invalid: countWhenInvalid(account),
      async handle(visit, { key }): Promise<ApiAnswer> {
        const { user } = await ownerOf(account, visit, key)
        return { kind: 'data', data: { user: await userData(account.kernel, visit, user) } }
      },
    }),
    POST: operation({
      summary: 'Sets a new password',
      input: [
        { name: 'key', kind: 'text', required: true },
        { name: 'password', kind: 'password', required: true },
      ],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: countWhenInvalid(account),
      async handle(visit, { key, password: typed }) {
        const { user, store } = await ownerOf(account, visit, key)
        const password = await cleanNewPassword(account, visit, user, { password: typed, param: 'password' })
        const outcome = await ofField('key', () => store(password))
        return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
      },
    }),
  },
})

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
