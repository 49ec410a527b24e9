import type { Social } from './social-accounts.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { parsePhone } from '../account/phone/change.ts'
import { ALPHANUMERIC, randomText } from '../kernel/crypto/random.ts'
import { AuthError } from '../errors.ts'
import type { NewUser } from '../kernel/users/user.ts'
import type { SocialAdapter } from './adapter.ts'
import type { Provider } from './provider.ts'
import { sendToProvider } from './wire/public-fetch.ts'
import { saveSocialUser } from './signup/save-user.ts'
import { deserializeLogin, serializeLogin } from './signup/serialize.ts'
import type { SocialApp } from './apps/social-apps.ts'
import type { SocialLogin } from './social-login.ts'

/** Length of a state in characters (95 bits). */
const STATE_LENGTH = 16
/** Name of the page that lists a user's connected accounts. */
const CONNECTIONS_PAGE = 'socialaccount_connections'

/** Returns the default hooks. They call each other through the adapter, so they call the host's hooks. */
export const socialHooks = (social: Social): SocialAdapter => ({
  preSocialLogin: () => {},
  onAuthenticationError: () => {},
  newUser: (request) => social.account.adapter.newUser(request),
  saveUser: (request, sociallogin, values) => saveSocialUser(social, request, sociallogin, values),
  populateUser: (_request, { user }, data) => fillNewUser(user, data),
  getConnectRedirectUrl: () => (social.kernel.has(CONNECTIONS_PAGE) ? social.kernel.url(CONNECTIONS_PAGE) : '/'),
  validateDisconnect: async () => {},
  isAutoSignupAllowed: async () => social.kernel.settings.socialaccount.autoSignup,
  isOpenForSignup: (request) => social.account.adapter.isOpenForSignup(request),
  getSignupFormInitialData: (sociallogin) => initialData(sociallogin),
  serializeInstance: serializeLogin,
  deserializeInstance: (request, serialized) => deserializeLogin(social, request, serialized),
  ...providerHooks(social),
  sendNotificationMail: (request, templatePrefix, user, options) =>
    social.account.adapter.sendNotificationMail(request, templatePrefix, user, options),
  getRequestsSession: () => sendToProvider,
  isEmailVerified: ({ app }, email) => isTrustedEmail(app, email),
  canAuthenticateByEmail: ({ app }) => signsInByEmail(social.kernel, app),
  generateStateParam: () => randomText(social.kernel.random, ALPHANUMERIC, STATE_LENGTH),
})

type ProviderHooks = Pick<SocialAdapter, 'listProviders' | 'getProvider' | 'listApps' | 'getApp'>

const providerHooks = (social: Social): ProviderHooks => ({
  async listProviders(request) {
    const apps = await social.adapter.listApps(request)
    return Promise.all(apps.filter((app) => !isHidden(app)).map((app) => social.provider(app)))
  },
  async getProvider(request, provider, clientId) {
    return social.provider(await social.adapter.getApp(request, provider, clientId))
  },
  listApps: (request, provider, clientId) =>
    social.apps.list(request.db, {
      ...(provider === undefined ? {} : { provider }),
      ...(clientId === undefined ? {} : { clientId }),
    }),
  async getApp(request, provider, clientId) {
    const apps = await social.adapter.listApps(request, provider, clientId)
    const [app, another] = apps.length > 1 ? apps.filter((one) => !isHidden(one)) : apps
    if (another !== undefined || (app === undefined && apps.length > 0)) {
      throw new AuthError('settings_invalid', {
        message: `The provider ${apps[0]?.provider ?? ''} has several apps: all but one must be hidden.`,
      })
    }
    if (app === undefined) throw new AuthError('not_found')
    return app
  },
})

const isHidden = ({ settings }: SocialApp): boolean => settings['hidden'] === true

/** Returns the user with the provider's data. Splits a full name at its first space. */
function fillNewUser(user: SocialLogin['user'], data: Readonly<Record<string, string>>): NewUser {
  const { username = '', email = '', first_name = '', last_name = '', name = '' } = data
  const blank = name.indexOf(' ')
  const [first, last] = blank < 0 ? [name, ''] : [name.slice(0, blank), name.slice(blank + 1).trim()]
  return { ...user, username, email, firstName: first_name || first, lastName: last_name || last }
}

function initialData({ user, emailAddresses, phone }: SocialLogin): Readonly<Record<string, string>> {
  return {
    email: user.email || (emailAddresses[0]?.email ?? ''),
    username: user.username ?? '',
    first_name: user.firstName ?? '',
    last_name: user.lastName ?? '',
    phone: phone === null ? '' : (parsePhone(phone.phone) ?? ''),
  }
}

/** Returns whether `verified_email` (of the app or else the provider) covers an address: `true`, or its domain. */
function isTrustedEmail({ settings, providerSettings }: Provider['app'], email: string): boolean {
  const trust = settings['verified_email'] ?? providerSettings['VERIFIED_EMAIL'] ?? false
  if (!Array.isArray(trust)) return trust === true
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return trust.some((listed: unknown) => typeof listed === 'string' && listed.toLowerCase() === domain)
}

/** Returns `email_authentication` of the app, or else whether the general or the provider's setting is on. */
function signsInByEmail({ settings }: Pick<Kernel, 'settings'>, app: SocialApp): boolean {
  const own = app.settings['email_authentication']
  if (typeof own === 'boolean') return own
  return settings.socialaccount.emailAuthentication || app.providerSettings['EMAIL_AUTHENTICATION'] === true
}
