import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import { clientAddress } from '../../kernel/http/request-headers.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Credentials, LoginHooks } from '../adapter.ts'
import type { Login, ReauthenticationMethod } from '../../kernel/login.ts'
import { authenticateCredentials, findUserByCredentials, failedLoginKey, readVerifiedPassword } from './credentials.ts'
import { hasShownStage } from './stage-machine.ts'

const MAX_USER_AGENT = 200

/** Returns the default login hooks. */
export const loginHooks = (account: Account): LoginHooks => ({
  preLogin: (request, { user }) =>
    Promise.resolve(user?.isActive === false ? account.adapter.respondUserInactive(request, user) : null),
  postLogin: (request, login) => Promise.resolve(resolveLoginRedirect(account, request, login)),
  login: (request, user) => signIn(request, user),
  logout(request) {
    request.session.flush()
    request.setUser(null)
    return Promise.resolve()
  },
  preAuthenticate: (request, credentials) => takeFailedLogin(account, request, credentials),
  authenticate: (request, credentials) => findUserByCredentials(account, request, credentials),
  authenticationFailed: () => Promise.resolve(),
  reauthenticate: (request, user, password) => isOwnPassword(account, request, user, password),
  getLoginStages: () => account.kernel.modules.flatMap(({ loginStages = [] }) => loginStages),
  async getReauthenticationMethods(visit, user) {
    const methods: ReauthenticationMethod[] = []
    for (const module of account.kernel.modules) {
      methods.push(...((await module.reauthenticationMethods?.(visit, user)) ?? []))
    }
    const factors = methods.filter(({ secondFactorSinceMs }) => secondFactorSinceMs !== undefined)
    return account.kernel.settings.mfa.reauthenticationRequired && factors.length > 0 ? factors : methods
  },
  isLoginByCodeRequired: (request, login) => isCodeRequired(account, request, login),
  revokeAccess: () => Promise.resolve(),
  mayAdminister: async (_request, user) => user.isStaff,
  getClientIp: (request, remoteAddress) => clientAddress(request, remoteAddress, account.kernel.settings),
  getHttpUserAgent: (request) => request.headers.get('user-agent')?.slice(0, MAX_USER_AGENT) || 'Unspecified',
})

/** Returns the first safe one of: the URL the login started with, `next`, the site's default. */
function resolveLoginRedirect(account: Account, request: Visit, login: Login): string {
  const { adapter } = account
  if (login.redirectUrl !== null && adapter.isSafeUrl(request, login.redirectUrl)) return login.redirectUrl
  if (request.next !== null) return request.next
  return login.signup && !hasShownStage(login.state)
    ? adapter.getSignupRedirectUrl(request)
    : adapter.getLoginRedirectUrl(request)
}

/**
 * Signs the user in, with a new session token and a new CSRF secret. If the password was replaced after
 * it was checked, the new session is invalid from the start.
 */
async function signIn(request: Visit, user: User): Promise<void> {
  await request.session.signIn(user, readVerifiedPassword(request, user))
  request.rotateCsrf()
  request.setUser(await request.kernel.users.update(request.db, user.id, { lastLoginMs: request.nowMs }))
}

async function takeFailedLogin(
  account: Account,
  request: Visit,
  { email, username, phone }: Credentials,
): Promise<{ giveBack(): Promise<void> }> {
  const subject = { ip: request.clientIp, key: failedLoginKey(request.site, email ?? phone ?? username ?? '') }
  const taken = await account.kernel.limits.take('login_failed', subject, request.nowMs)
  if (taken.allowed) return taken
  throw new InvalidInput([account.adapter.validationError('too_many_login_attempts')])
}

/** Returns whether the password is this user's. Wrong ones count toward the limit of failed logins. */
async function isOwnPassword(account: Account, request: Visit, user: User, password: string): Promise<boolean> {
  const addresses = await account.emails.ofUser(request.db, user.id)
  const email = addresses.find(({ primary }) => primary)?.email ?? user.email
  const phone = account.kernel.settings.account.loginMethods.includes('phone')
    ? await account.adapter.getPhone(request, user)
    : null
  const found = await authenticateCredentials(account, request, {
    ...(user.username === '' ? {} : { username: user.username }),
    ...(email === '' ? {} : { email }),
    ...(phone === null ? {} : { phone: phone.phone }),
    password,
  })
  return found?.id === user.id
}

/** Returns whether `loginByCodeRequired` lists the method used last and the browser isn't trusted. */
async function isCodeRequired(account: Account, request: Visit, { user }: Login): Promise<boolean> {
  const { loginByCodeRequired, loginByCodeTrustEnabled } = account.kernel.settings.account
  const method = account.login.records(request).at(-1)?.method
  if (!loginByCodeRequired.some((required) => required === method)) return false
  if (!loginByCodeTrustEnabled || user === null) return true
  for (const module of account.kernel.modules) if (await module.isTrustedBrowser?.(request, user)) return false
  return true
}
