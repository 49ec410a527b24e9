import type { Account } from '../account/account.ts'
import { AuthError, InvalidInput } from '../errors.ts'
import type { Login } from '../kernel/login.ts'
import type { User, UserId } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import { AUTHENTICATOR_TYPES } from './authenticator-store.sql.ts'
import type { Authenticator, AuthenticatorType } from './mfa.ts'
import type { Mfa } from './second-factors.ts'

/** What a factor is used for. */
export interface Use {
  /** Default: false. */
  readonly reauthentication?: boolean
  /** Default: false. */
  readonly passwordless?: boolean
  /** The login whose step it is: marked as done with the same write, see `LoginFlow.pass`. */
  readonly login?: Login
}

/**
 * A factor was used: it is dated, recorded in the session, and told to receivers once that is committed. Joins the
 * transaction in which the code or credential was used up: a session that changed meanwhile undoes that as well.
 * @returns the authenticator as it is stored now
 * @throws {AuthError} `session_conflict`; `not_found`: it was removed meanwhile
 */
export async function recordAuthenticatorUse(
  mfa: Mfa,
  request: Visit,
  user: User,
  { id, type }: Authenticator,
  { reauthentication = false, passwordless = false, login }: Use,
): Promise<Authenticator> {
  return request.transaction(async () => {
    const used = await mfa.authenticators.update(request.db, id, { lastUsedAtMs: request.nowMs })
    if (used === null) throw new AuthError('not_found')
    const record = {
      method: 'mfa',
      id,
      type,
      ...(reauthentication ? { reauthenticated: true } : {}),
      ...(passwordless ? { passwordless: true } : {}),
    }
    await mfa.account.login.record(request, record, user)
    if (login !== undefined) mfa.account.login.pass(request, login)
    await request.session.commit()
    const event = { request, user, authenticator: used, reauthenticated: reauthentication, passwordless }
    await request.afterCommit(() => mfa.signals.emit('authenticator_used', 'Authenticator', event))
    return used
  })
}

/** A code or credential was wrong: receivers are told, of the main authenticator of the user. */
export async function recordFailure(
  mfa: Mfa,
  request: Visit,
  user: User,
  { reauthentication = false }: Pick<Use, 'reauthentication'>,
): Promise<void> {
  const rows = await mfa.authenticators.ofUser(request.db, user.id)
  const authenticator = rows.find(({ type }) => type === 'totp') ?? rows.find(isPrimaryFactor) ?? rows[0]
  if (authenticator === undefined) return
  const event = { request, user, authenticator, reauthentication }
  await mfa.signals.emit('authentication_failed', 'Authenticator', event)
}

/** One counted try of a second factor. */
interface MfaTry {
  /** Marks the attempt as successful: resets the user's count, and removes this attempt from the IP address's count. */
  succeeded(): Promise<void>
  /** Nothing was tried: something else went wrong. */
  giveBack(): Promise<void>
}

/**
 * Counts a second factor attempt before it is checked, outside of a transaction. Counts per user regardless of the
 * host name, so another host name gives no extra attempts.
 * @param counted How the user was identified: a mere user handle must not lock the user out of the second factor.
 * @param param Field of the error.
 * @throws {InvalidInput} `too_many_login_attempts`
 */
export async function takeMfaSlot(
  account: Account,
  request: Visit,
  counted: { readonly userId: UserId; readonly isKnown: boolean },
  param: string,
): Promise<MfaTry> {
  const key = `${counted.isKnown ? 'mfa-auth-user' : 'passkey-login-user'}-${counted.userId}`
  const taken = await account.kernel.limits.take('login_failed', { ip: request.clientIp, key }, request.nowMs)
  if (!taken.allowed) throw new InvalidInput([account.adapter.validationError('too_many_login_attempts', { param })])
  return {
    async succeeded() {
      await taken.giveBack()
      await account.kernel.limits.clear('login_failed', { key })
    },
    giveBack: () => taken.giveBack(),
  }
}

/** Factors that a login asks for; recovery codes only stand in for one of them. */
export const MAIN_TYPES = ['totp', 'webauthn'] as const satisfies readonly AuthenticatorType[]

/** Whether it is a factor by itself. */
export const isPrimaryFactor = ({ type }: Pick<Authenticator, 'type'>): boolean => type !== 'recovery_codes'

/**
 * Types that a user has, in the fixed order. Also those that the settings do not offer any more: a factor that was set
 * up is asked for. None while the module is off.
 */
export async function listAuthenticatorTypes(
  mfa: Mfa,
  request: Visit,
  user: User,
): Promise<readonly AuthenticatorType[]> {
  if (!mfa.kernel.settings.mfa.enabled) return []
  const rows = await mfa.authenticators.ofUser(request.db, user.id)
  return AUTHENTICATOR_TYPES.filter((type) => rows.some((row) => row.type === type))
}
