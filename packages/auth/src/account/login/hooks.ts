import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import { clientAddress } from '../../kernel/http/client-address.ts'
import { mfaReauthenticationMethods } from '../../mfa/reauthentication-methods.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Credentials, LoginHooks, ReauthenticationMethod } from '../adapter.ts'
import type { Login, LoginStage } from '../login.ts'
import { authenticated, userOfCredentials } from './credentials.ts'
import { failedLoginKey } from './failed-logins.ts'
import { provedPassword } from './proved-password.ts'
import { wasInterrupted } from './stage-machine.ts'

const MAX_USER_AGENT = 200

/** @param stages Of every login, in their order. */
export const loginHooks = (core: () => Core, stages: readonly LoginStage[]): LoginHooks => ({
  preLogin: (request, { user }) =>
    Promise.resolve(user?.isActive === false ? core().adapter.respondUserInactive(request, user) : null),
  postLogin: (request, login) => Promise.resolve(destination(core(), request, login)),
  login: (request, user) => signIn(core(), request, user),
  logout(request) {
    request.session.flush()
    request.setUser(null)
    return Promise.resolve()
  },
  preAuthenticate: (request, credentials) => takeFailedLogin(core(), request, credentials),
  authenticate: (request, credentials) => userOfCredentials(core(), request, credentials),
  authenticationFailed: () => Promise.resolve(),
  reauthenticate: (request, user, password) => isOwnPassword(core(), request, user, password),
  getLoginStages: () => stages,
  getReauthenticationMethods: async (request, user) => [
    ...passwordMethod(core(), request, user),
    ...(await mfaReauthenticationMethods(core(), request, user)),
  ],
  isLoginByCodeRequired: (request, login) => isCodeRequired(core(), request, login),
  mayAdminister: async (_request, user) => user.isStaff,
  getClientIp: (request, remoteAddress) => clientAddress(request, remoteAddress, core().settings),
  getHttpUserAgent: (request) => request.headers.get('user-agent')?.slice(0, MAX_USER_AGENT) || 'Unspecified',
})

/** The first safe one of: what the login began with, `next`, what the site says. */
function destination(core: Core, request: Visit, login: Login): string {
  const { adapter } = core
  if (login.redirectUrl !== null && adapter.isSafeUrl(request, login.redirectUrl)) return login.redirectUrl
  if (request.next !== null) return request.next
  return login.signup && !wasInterrupted(login.state)
    ? adapter.getSignupRedirectUrl(request)
    : adapter.getLoginRedirectUrl(request)
}

/**
 * A session of somebody else is given up by `signIn`; a new token and a new CSRF secret either way. Where the password
 * was replaced since it was checked the session is dead from its beginning.
 */
async function signIn(core: Core, request: Visit, user: User): Promise<void> {
  await request.session.signIn(user, provedPassword(request, user))
  request.rotateCsrf()
  request.setUser(await core.users.update(request.db, user.id, { lastLoginMs: request.nowMs }))
}

async function takeFailedLogin(
  core: Core,
  request: Visit,
  { email, username, phone }: Credentials,
): Promise<{ giveBack(): Promise<void> }> {
  const subject = { ip: request.clientIp, key: failedLoginKey(request.site, email ?? phone ?? username ?? '') }
  const taken = await core.limits.take('login_failed', subject, request.nowMs)
  if (taken.allowed) return taken
  throw new InvalidInput([core.adapter.validationError('too_many_login_attempts')])
}

/** Whether the password is that of this very user, with all limits of a login. */
async function isOwnPassword(core: Core, request: Visit, user: User, password: string): Promise<boolean> {
  const addresses = await core.emails.ofUser(request.db, user.id)
  const email = addresses.find(({ primary }) => primary)?.email ?? user.email
  const phone = core.settings.account.loginMethods.includes('phone') ? await core.adapter.getPhone(request, user) : null
  const found = await authenticated(core, request, {
    ...(user.username === '' ? {} : { username: user.username }),
    ...(email === '' ? {} : { email }),
    ...(phone === null ? {} : { phone: phone.phone }),
    password,
  })
  return found?.id === user.id
}

function passwordMethod(core: Core, request: Visit, user: User): readonly ReauthenticationMethod[] {
  if (!user.hasUsablePassword || core.settings.socialaccount.only) return []
  const description = request.t('Use your password')
  return [{ id: 'reauthenticate', description, url: core.url('account_reauthenticate') }]
}

/** Whether `loginByCodeRequired` names what the person has proved last, and the browser is not trusted. */
async function isCodeRequired(core: Core, request: Visit, { user }: Login): Promise<boolean> {
  const { loginByCodeRequired, loginByCodeTrustEnabled } = core.settings.account
  const method = core.login.records(request).at(-1)?.method
  if (!loginByCodeRequired.some((required) => required === method)) return false
  return !(loginByCodeTrustEnabled && user !== null && (await core.mfa.trust.isTrusted(request, user)))
}
