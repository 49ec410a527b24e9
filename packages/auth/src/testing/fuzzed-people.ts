import { sqlAuthenticatorStore } from '../mfa/authenticator-store.sql.ts'
import { Secret, TOTP } from 'otpauth'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { ApiVisitor } from './api-visitor.ts'
import { type AuthWorld, ORIGIN } from './auth-world.ts'
import { cookieJar } from './cookie-jar.ts'

/** A user's authentication state when hostile calls begin. */
export type Standing = 'anonymous' | 'pending' | 'recent' | 'stale' | 'with factors'

/** A user whose secrets must not leak. */
export interface Fuzzed {
  readonly user: User
  readonly name: string
  readonly visitor: ApiVisitor
  readonly secrets: readonly string[]
  /** Returns the authenticator app's current code. */
  totp(): string
  /** Returns an unused recovery code. */
  readonly recovery: string
}

export const FUZZED_PASSWORD = 'a made-up phrase that must not leak'
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const RECOVERY_SEED = '0123456789abcdef'.repeat(5)
const RECOVERY_CODE = '64942586'

/** Creates users with one password hash for all of them. */
export async function fuzzedPeople(
  world: AuthWorld,
): Promise<(client: ApiClient, standing: Standing, name: string) => Promise<Fuzzed>> {
  const { auth } = world
  const hash = await auth.kernel.passwords.hash(FUZZED_PASSWORD)
  return async (client, standing, name) => {
    const user = await addUser(world, name, hash)
    if (standing === 'pending' || standing === 'with factors') await addFactors(world, user)
    const visitor = world.api(client)
    if (standing !== 'anonymous') await signIn(world, user, visitor, standing)
    const session = client === 'app' ? visitor.sessionToken : visitor.cookies.get('sessionid')
    return {
      user,
      name,
      visitor,
      secrets: [
        FUZZED_PASSWORD,
        hash,
        TOTP_SECRET,
        RECOVERY_SEED,
        ...(session === null || session === undefined ? [] : [session]),
      ],
      totp: () => new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate({ timestamp: world.clock.now() }),
      recovery: RECOVERY_CODE,
    }
  }
}

async function addUser({ auth }: AuthWorld, name: string, hash: string): Promise<User> {
  return auth.kernel.database.transaction(async (tx) => {
    const email = `${name}@example.org`
    const user = await auth.kernel.users.insert(tx, { username: name, email }, hash, auth.kernel.clock.now())
    await auth.account.emails.insert(tx, { userId: user.id, email, verified: true, primary: true })
    return user
  })
}

async function addFactors({ auth }: AuthWorld, user: User): Promise<void> {
  const [userId, createdAtMs] = [user.id, auth.kernel.clock.now()]
  const { db } = auth.kernel.database
  // Store the rows even if the settings turn second factors off.
  const authenticators = sqlAuthenticatorStore(auth.kernel)
  await authenticators.insert(db, { userId, createdAtMs, type: 'totp', data: { secret: TOTP_SECRET } })
  const data = { seed: RECOVERY_SEED, used_mask: 0 }
  await authenticators.insert(db, { userId, createdAtMs, type: 'recovery_codes', data })
}

/** Signs a user in as the flows do, but without a password. */
async function signIn(world: AuthWorld, user: User, visitor: ApiVisitor, standing: Standing): Promise<void> {
  const { auth } = world
  const jar = cookieJar()
  const visit = async (work: (visit: Visit) => Promise<unknown>): Promise<void> => {
    const request = new Request(`${ORIGIN}/`, { headers: { cookie: jar.header(), host: new URL(ORIGIN).host } })
    const { headers } = await world.auth.visit(request, { remoteAddress: '192.0.2.1' }, work)
    jar.keep(headers)
  }
  await visit(async (request) => {
    await auth.account.login.begin(request, { user })
    if (standing === 'with factors') {
      const login = await auth.account.login.at(request, 'mfa_authenticate')
      if (login !== null) await auth.account.login.resume(request, login)
    }
    if (standing === 'recent' || standing === 'with factors') {
      await auth.account.login.record(request, { method: 'password' }, user)
    }
  })
  const token = jar.cookies.get('sessionid')
  if (visitor.client === 'app') visitor.sessionToken = token ?? null
  else for (const [name, value] of jar.cookies) visitor.cookies.set(name, value)
}
