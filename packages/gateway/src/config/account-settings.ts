import { toMount } from './public-url.ts'
import { ALL_SETTINGS } from './settings.ts'
import { AuthError, type AuthSettingsInput, resolveSettings, settingsFromEnvironment } from '@gatepost/auth'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Settings of accounts: what the environment says, over what suits the gateway. Problems are added to `problems`, each
 * naming its variable, and nothing but the gateway's own settings is answered then.
 */
export function accountSettings(
  env: Environment,
  { publicUrl, isSignupOpen }: { readonly publicUrl: string | null; readonly isSignupOpen: boolean },
  problems: string[],
): AuthSettingsInput {
  const defaults = createDefaults(publicUrl, isSignupOpen)
  try {
    const own = new Set(ALL_SETTINGS.map(({ name }) => name))
    const given = settingsFromEnvironment(Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name))))
    const settings = applyMount(mergeSettings(defaults, given), toMount(publicUrl))
    resolveSettings(settings)
    return settings
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    problems.push(error.message)
    return defaults
  }
}

function createDefaults(publicUrl: string | null, isSignupOpen: boolean): AuthSettingsInput {
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const mount = toMount(publicUrl)
  return {
    // Without a public address only this machine is served, over http.
    development: publicUrl === null,
    siteName: 'Gatepost',
    loginRedirectUrl: `${mount}/console/`,
    sessionCookiePath: `${mount}/`,
    sessionCookieSecure: isSecure,
    csrfCookieSecure: isSecure,
    emailBackend: 'console',
    defaultFromEmail: `Gatepost <gatepost@${publicUrl === null ? 'localhost' : new URL(publicUrl).hostname}>`,
    account: {
      signupRedirectUrl: `${mount}/console/welcome`,
      logoutRedirectUrl: 'account_login',
      // Where anyone may sign up, an address that isn't verified may be another person's.
      emailVerification: isSignupOpen ? 'mandatory' : 'optional',
      // A session that is left open, or stolen, must not be enough to create lasting access, or go unnoticed.
      reauthenticationRequired: true,
      emailNotifications: true,
    },
    mfa: {
      enabled: true,
      supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
      passkeyLoginEnabled: true,
      trustEnabled: true,
      reauthenticationRequired: true,
    },
    usersessions: { enabled: true, trackActivity: true },
    // Who may see everything is not to go on after the session ended, and the database is at hand.
    headless: { enabled: true, tokenStrategy: 'session', jwtStatefulValidationEnabled: true },
    // Nothing is offered until staff add an app; both are loaded at their first use.
    socialaccount: { enabled: true },
    idpOidc: { enabled: true },
  }
}

/** Pages and the JSON API stand below the path that the proxy shows the service at. */
function applyMount(settings: AuthSettingsInput, mount: string): AuthSettingsInput {
  if (mount === '') return settings
  const { pathPrefix = '/accounts/', headless = {} } = settings
  return {
    ...settings,
    pathPrefix: `${mount}${pathPrefix}`,
    headless: headless.enabled === false ? headless : { ...headless, path: `${mount}${headless.path ?? '/_allauth/'}` },
  }
}

/** How people sign in when nothing is said about it: by e-mail alone. The two settings belong together. */
const BY_EMAIL = { loginMethods: ['email'], signupFields: ['email*', 'password1*', 'password2*'] } as const

function mergeSettings(defaults: AuthSettingsInput, given: AuthSettingsInput): AuthSettingsInput {
  const { emailBackend, ...others } = defaults
  const { account = {}, mfa, usersessions, headless, socialaccount, idpOidc } = given
  const isSaid = account.loginMethods !== undefined || account.signupFields !== undefined
  return {
    // A mail server that is named is meant to be used.
    ...(given.emailHost === undefined && emailBackend !== undefined && { emailBackend }),
    ...others,
    ...given,
    account: { ...(isSaid ? {} : BY_EMAIL), ...defaults.account, ...account },
    // Whoever signs in elsewhere alone proves themselves there.
    mfa: mergeModule(defaults.mfa, socialaccount?.only === true ? { enabled: false, ...mfa } : mfa),
    usersessions: mergeModule(defaults.usersessions, usersessions),
    headless: mergeModule(defaults.headless, headless),
    socialaccount: mergeModule(defaults.socialaccount, socialaccount),
    idpOidc: mergeModule(defaults.idpOidc, idpOidc),
  }
}

/** Merges the settings of a module. The defaults don't apply to one that's off, which accepts no settings. */
const mergeModule = <M extends { readonly enabled?: boolean }>(defaults: M | undefined, given: M | undefined): M =>
  given?.enabled === false ? given : ({ ...defaults, ...given } as M) // every member of M is optional
