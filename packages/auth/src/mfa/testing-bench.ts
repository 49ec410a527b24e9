import { createMfa } from './module.ts'
import { sqlAuthenticatorStore } from './authenticator-store.sql.ts'
import type { testDatabases } from '@gatepost/sql/testing'
import { URI } from 'otpauth'
import type { AuthOptions } from '../options.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { SignalName } from '../compose.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../testing/auth-world.ts'
import { cookieJar } from '../testing/cookie-jar.ts'
import type { User } from '../kernel/users/user.ts'
import type { Authenticator, NewAuthenticator } from './mfa.ts'
import type { Mfa } from './second-factors.ts'

type Open = (typeof testDatabases)[number][1]
type Adapters = NonNullable<AuthOptions<AuthTables>['adapters']>

/** A made-up secret, 32 characters of base32. */
export const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
/** A made-up seed, and the codes of it that section 2.5 of the reference names. */
export const SEED = '0123456789abcdef'.repeat(5)
export const SEED_CODES = [
  '64942586',
  '03959085',
  '07990366',
  '16418492',
  '08962862',
  '26762693',
  '03257366',
  '85808163',
  '85026242',
  '60612046',
]

/** A browser session whose requests run flows. */
export type Browser = <R>(work: (visit: Visit, mfa: Mfa) => Promise<R>) => Promise<R>

/** A person with a verified address, signed in by password. */
export interface Person {
  readonly browser: Browser
  readonly user: User
}

/** A site with second factors. */
export interface MfaWorld extends AuthWorld {
  browser(as?: { readonly ip?: string }): Browser
  person(name: string): Promise<Person>
  /** As an old site has stored them. */
  imported(user: User, type: NewAuthenticator['type'], data: NewAuthenticator['data']): Promise<Authenticator>
  rows(user: User): Promise<readonly Authenticator[]>
  /** What an authenticator app shows that was given this URL. @param periods From now. */
  appCode(url: string, periods?: number): string
}

/** @param open One of `testDatabases`; absent: SQLite. */
export async function mfaWorld(
  open?: Open,
  settings: AuthSettingsInput = {},
  adapters: Adapters = {},
): Promise<MfaWorld> {
  const mfa = { enabled: true, ...settings.mfa }
  const world = await authWorld({ settings: { ...settings, mfa }, adapters }, open)
  const { auth } = world
  const browser: MfaWorld['browser'] = ({ ip = '192.0.2.7' } = {}) => {
    const jar = cookieJar()
    return async (work) => {
      const request = new Request(`${ORIGIN}/mine`, { headers: { cookie: jar.header() } })
      const { result, headers } = await world.auth.visit(request, { remoteAddress: ip }, (visit) =>
        work(visit, auth.moduleIfOn('mfa') ?? createMfa(auth.account, undefined)),
      )
      jar.keep(headers)
      return result
    }
  }
  return {
    ...world,
    browser,
    async person(name) {
      const user = await world.addUser({
        email: `${name}@example.org`,
        username: name,
        password: 'a lighthouse keeper',
      })
      const signedIn = browser()
      await signedIn(async (visit) => {
        await auth.account.login.record(visit, { method: 'password' }, user)
        await auth.account.login.begin(visit, { user })
      })
      return { browser: signedIn, user }
    },
    imported: (user, type, data) =>
      sqlAuthenticatorStore(auth.kernel).insert(auth.kernel.database.db, {
        userId: user.id,
        type,
        data,
        createdAtMs: auth.kernel.clock.now(),
      }),
    rows: (user) => auth.module('mfa').authenticators.ofUser(auth.kernel.database.db, user.id),
    appCode(url, periods = 0) {
      const app = URI.parse(url)
      if (!('period' in app)) throw new Error('it is no time-based key')
      return app.generate({ timestamp: world.clock.now() + periods * app.period * 1000 })
    },
  }
}

/** URL of the made-up secret. */
export const SECRET_URL = `otpauth://totp/ada?secret=${SECRET}`

/** Records second factor signals in order: name, sender, authenticator type, payload. */
export function hear({ auth }: AuthWorld): string[] {
  const names = [
    'authentication_step_completed',
    'authenticator_added',
    'authenticator_created',
    'authenticator_removed',
    'authenticator_reset',
    'authenticator_used',
    'authentication_failed',
    'mfa_enabled',
    'mfa_disabled',
  ] as const satisfies readonly SignalName[]
  const heard: string[] = []
  for (const name of names) {
    auth.signals.on(name, ({ signal, sender, request: _request, user, ...event }) => {
      const { authenticator, ...rest } = event as { authenticator?: Authenticator } // not of every signal
      const parts = [signal, sender, user.username, authenticator?.type ?? '-', JSON.stringify(rest)]
      heard.push(parts.join(' '))
    })
  }
  return heard
}

/** Returns the error codes of a rejected flow, with their fields. */
export async function readErrorCodes(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error && 'errors' in error && Array.isArray(error.errors)) {
      return (error.errors as { code: string; param?: string }[]).map(({ code, param = '-' }) => `${code} ${param}`) // of InvalidInput
    }
    if (error instanceof Error && 'code' in error) return error.code
    throw error
  }
  return 'nothing'
}
