import { checkEmailCode } from '../../account/email/check-code.ts'
import {
  canResendEmailCode,
  EMAIL_STAGE,
  type EmailCodeTried,
  type PendingEmailCode,
  pendingEmailCode,
  resendEmailCode,
  tryEmailCode,
} from '../../account/email/code-verification.ts'
import { confirmByLink } from '../../account/email/confirm-by-link.ts'
import { addressOfKey } from '../../account/email/confirmation-key.ts'
import type { EmailAddress } from '../../account/email-address.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { userData } from '../authentication-answer.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { asWrongTry, withNames } from '../input-errors.ts'
import { loginAnswer } from '../login-answer.ts'

/** Proving that an address is one's own. */
export const emailVerificationResources: ApiModule = (core) =>
  core.settings.socialaccount.only ? [] : [VERIFY, RESEND]

const isByCode = ({ core }: ApiCall): boolean => core.settings.account.emailVerificationByCodeEnabled

/** The code that is waited for. @throws {AuthError} `flow_wrong_stage` */
async function pendingOf({ core, request }: ApiCall): Promise<PendingEmailCode> {
  const pending = await pendingEmailCode(core, request)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const attempt = async (call: ApiCall, key: string): Promise<EmailCodeTried> =>
  tryEmailCode(call.core, call.request, await pendingOf(call), key)

const countedWhenInvalid = asWrongTry('key', async (call) => {
  if (isByCode(call)) await attempt(call, '')
})

const VERIFY: ApiResource = {
  path: 'auth/email/verify',
  tag: 'Account',
  access: 'anon',
  async before(call) {
    if (isByCode(call)) await pendingOf(call)
    return null
  },
  operations: {
    GET: operation({
      summary: 'Tells what the key of a mailed link, or a code, is for',
      input: [{ name: 'key', kind: 'text', required: true, header: 'X-Email-Verification-Key' }],
      answers: { 200: 'EmailVerificationInfo', 409: 'Status' },
      invalid: countedWhenInvalid,
      handle: (call, { key }) => (isByCode(call) ? showCode(call, key) : showLink(call, key)),
    }),
    POST: operation({
      summary: 'Verifies an address with the key of a mailed link, or a code',
      input: [{ name: 'key', kind: 'text', required: true }],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: countedWhenInvalid,
      handle: (call, { key }) => (isByCode(call) ? takeCode(call, key) : takeLink(call, key)),
    }),
  },
}

const RESEND: ApiResource = {
  path: 'auth/email/verify/resend',
  tag: 'Account',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Sends another code to the address that is to be verified',
      answers: { 200: 'Status', 409: 'Status' },
      ignoresBody: true,
      async handle(call) {
        const pending = isByCode(call) ? await pendingOf(call) : null
        if (pending === null || !canResendEmailCode(call.core, pending)) throw new AuthError('flow_wrong_stage')
        await resendEmailCode(call.core, call.request, pending)
        return { kind: 'data' }
      },
    }),
  },
}

const wrong = ({ core }: ApiCall, code: string): InvalidInput =>
  new InvalidInput([core.adapter.validationError(code, { param: 'key' })])

async function showCode(call: ApiCall, key: string): Promise<ApiAnswer> {
  const { core, request } = call
  const pending = await pendingOf(call)
  const checked = await withNames({ code: 'key' }, () => checkEmailCode(core, request, pending, key))
  if (checked !== 'right') throw wrong(call, 'incorrect_code')
  return infoOf(call, { email: pending.email, user: pending.user, isAuthenticating: pending.login !== null })
}

async function takeCode(call: ApiCall, key: string): Promise<ApiAnswer> {
  const { login } = await pendingOf(call)
  const tried = await withNames({ code: 'key' }, () => attempt(call, key))
  if (tried.kind === 'ended') throw wrong(call, 'incorrect_code')
  if (login === null) return { kind: 'authentication' }
  return loginAnswer(await call.core.login.resume(call.request, login))
}

async function showLink(call: ApiCall, key: string): Promise<ApiAnswer> {
  const { core, request } = call
  const address = await addressOf(call, key)
  const [user, login] = [await core.users.byId(request.db, address.userId), await core.login.at(request, EMAIL_STAGE)]
  return infoOf(call, { email: address.email, user, isAuthenticating: login !== null })
}

async function takeLink(call: ApiCall, key: string): Promise<ApiAnswer> {
  const { confirmed, outcome } = await confirmByLink(call.core, call.request, await addressOf(call, key))
  if (!confirmed) throw wrong(call, 'email_taken')
  return outcome === null ? { kind: 'authentication' } : loginAnswer(outcome)
}

/** The address of a key that may still be verified. @throws {InvalidInput} */
async function addressOf(call: ApiCall, key: string): Promise<EmailAddress> {
  const { core, request } = call
  const address = await addressOfKey(core, request, key)
  if (address === null) throw wrong(call, 'invalid_or_expired_key')
  const unique = core.settings.account.uniqueEmail
  if (unique && (await core.emails.isVerifiedElsewhere(request.db, address.email, address.id))) {
    throw wrong(call, 'email_taken')
  }
  return address
}

async function infoOf(
  call: ApiCall,
  { email, user, isAuthenticating }: { email: string; user: User | null; isAuthenticating: boolean },
): Promise<ApiAnswer> {
  if (user === null) throw wrong(call, 'invalid_or_expired_key') // removed since the address was read
  const data = { email, user: await userData(call.core, call.request, user) }
  return { kind: 'data', data, meta: { is_authenticating: isAuthenticating } }
}
