import { cleanNewPassword } from '../../account/password/new-password.ts'
import { requestPasswordReset } from '../../account/password/request-reset.ts'
import { resetByLink, userOfKey } from '../../account/password/reset-by-link.ts'
import {
  type PendingReset,
  pendingReset,
  resetByCode,
  tryResetCode,
  userOfReset,
} from '../../account/password/reset-code.ts'
import { ofField } from '../../account/email/field-errors.ts'
import type { LoginOutcome } from '../../account/login.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { userData } from '../authentication-answer.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { asWrongTry, withNames } from '../input-errors.ts'
import { loginAnswer } from '../login-answer.ts'

/** Forgotten passwords. */
export const passwordResetResources: ApiModule = (core) => (core.settings.socialaccount.only ? [] : [REQUEST, RESET])

const isByCode = ({ core }: ApiCall): boolean => core.settings.account.passwordResetByCodeEnabled

/** The reset under way. @throws {AuthError} `flow_wrong_stage` */
function pendingOf({ core, request }: ApiCall): PendingReset {
  const pending = pendingReset(core, request)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const REQUEST: ApiResource = {
  path: 'auth/password/request',
  tag: 'Password reset',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Mails what resets the password of whoever has this address',
      input: [{ name: 'email', kind: 'email', required: true, maxLength: 320 }],
      answers: { 200: 'Status', 401: 'AuthenticationFlows' },
      async handle(call, { email }) {
        await requestPasswordReset(call.core, call.request, email)
        return isByCode(call) && call.request.user === null ? { kind: 'authentication' } : { kind: 'data' }
      },
    }),
  },
}

const countedWhenInvalid = asWrongTry('key', async (call) => {
  if (isByCode(call)) await tryResetCode(call.core, call.request, pendingOf(call), '')
})

const RESET: ApiResource = {
  path: 'auth/password/reset',
  tag: 'Password reset',
  access: 'anon',
  limit: { action: 'reset_password_from_key', per: 'ip' },
  async before(call) {
    if (isByCode(call)) pendingOf(call)
    return null
  },
  operations: {
    GET: operation({
      summary: 'Tells whose password the key of a mailed link, or a code, resets',
      input: [{ name: 'key', kind: 'text', required: true, header: 'X-Password-Reset-Key' }],
      answers: { 200: 'PasswordResetInfo', 409: 'Status' },
      invalid: countedWhenInvalid,
      async handle(call, { key }): Promise<ApiAnswer> {
        const { user } = await ownerOf(call, key)
        return { kind: 'data', data: { user: await userData(call.core, call.request, user) } }
      },
    }),
    POST: operation({
      summary: 'Sets a new password',
      input: [
        { name: 'key', kind: 'text', required: true },
        { name: 'password', kind: 'password', required: true },
      ],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: countedWhenInvalid,
      async handle(call, { key, password: typed }) {
        const { core, request } = call
        const { user, store } = await ownerOf(call, key)
        const password = await cleanNewPassword(core, request, user, { password: typed, param: 'password' })
        const outcome = await ofField('key', () => store(password))
        return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
      },
    }),
  },
}

/** Whose a good key is, and what stores a new password for it. */
interface Owner {
  readonly user: User
  readonly store: (password: string) => Promise<LoginOutcome | null>
}

/** @throws {InvalidInput} `incorrect_code`, `invalid_password_reset` */
async function ownerOf(call: ApiCall, key: string): Promise<Owner> {
  const { core, request } = call
  const redirectUrl = core.adapter.getLoginRedirectUrl(request)
  const wrong = (code: string): InvalidInput => new InvalidInput([core.adapter.validationError(code, { param: 'key' })])
  if (!isByCode(call)) {
    const user = await userOfKey(core, request, key)
    if (user === null) throw wrong('invalid_password_reset')
    return { user, store: (password) => resetByLink(core, request, key, { user, password, redirectUrl }) }
  }
  const pending = pendingOf(call)
  const tried = await withNames({ code: 'key' }, () => tryResetCode(core, request, pending, key))
  const user = tried === 'ended' ? null : await userOfReset(core, request, pending.process)
  if (user === null) throw wrong('incorrect_code')
  return { user, store: (password) => resetByCode(core, request, pending, { user, password, redirectUrl }) }
}
