import type { testDatabases } from '@gatepost/sql/testing'
import type { Visit } from '../../kernel/visit.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, ORIGIN } from '../../testing/auth-world.ts'
import {
  type PublicKeyOptions,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../../testing/authenticator.ts'
import type { User } from '../../kernel/users/user.ts'
import type { AuthenticatorAdded, WebauthnFlow } from '../mfa.ts'
import { type Browser as MfaBrowser, mfaWorld } from '../testing-bench.ts'

type Open = (typeof testDatabases)[number][1]

/** One browser, whose requests run flows. */
export type Browser = <R>(work: (visit: Visit, keys: WebauthnFlow) => Promise<R>) => Promise<R>

/** A site with security keys. */
export interface KeyWorld extends AuthWorld {
  browser(as?: { readonly ip?: string }): Browser
  /** A browser in which somebody with a verified address has just signed in by password. */
  signedIn(name: string): Promise<{ readonly browser: Browser; readonly user: User }>
}

/** @param open One of `testDatabases`. */
export async function keyWorld(open: Open, settings: AuthSettingsInput = {}): Promise<KeyWorld> {
  const mfa = {
    enabled: true,
    supportedTypes: ['totp', 'webauthn', 'recovery_codes'],
    passkeyLoginEnabled: true,
    ...settings.mfa,
  } as const
  const account = {
    loginMethods: ['email'],
    signupFields: ['email*', 'password1*'],
    emailNotifications: true,
    ...settings.account,
  } as const
  const world = await mfaWorld(open, { ...settings, account, mfa })
  return {
    ...world,
    browser: (as) => withKeys(world.browser(as)),
    async signedIn(name) {
      const { browser, user } = await world.person(name)
      return { browser: withKeys(browser), user }
    },
  }
}

const withKeys =
  (browser: MfaBrowser): Browser =>
  (work) =>
    browser((visit, { webauthn }) => work(visit, webauthn))

/** Returns the user of a request. @throws {Error} if signed out */
export function requireUser({ user }: Visit): User {
  if (user === null) throw new Error('nobody is signed in')
  return user
}

/** An honest authenticator in a browser that shows our pages. */
export const key = (made: Partial<Parameters<typeof softwareAuthenticator>[0]> = {}): SoftwareAuthenticator =>
  softwareAuthenticator({ origin: ORIGIN, ...made })

/** Returns the creation options of a new key. */
export const creation = (browser: Browser, passwordless = false): Promise<PublicKeyOptions> =>
  browser(async (visit, keys) => (await keys.creationOptions(visit, requireUser(visit), { passwordless })).publicKey)

/** Adds a key to the account of who is signed in. */
export async function addKey(
  browser: Browser,
  authenticator: SoftwareAuthenticator,
  { name = '', passwordless = false } = {},
): Promise<AuthenticatorAdded> {
  const credential = authenticator.create(await creation(browser, passwordless))
  return browser((visit, keys) => keys.add(visit, requireUser(visit), { name, credential }))
}

/** Returns the request options for a signature. @param user `null` for any passkey */
export const requestAssertionOptions = (browser: Browser, user: User | null): Promise<PublicKeyOptions> =>
  browser(async (visit, keys) => (await keys.requestOptions(visit, user)).publicKey)

/** What a wrong credential is answered with. */
export const WRONG = { errors: [{ code: 'incorrect_code', param: 'credential' }] }
