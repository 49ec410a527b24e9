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
  /** The login that the step belongs to. The same write marks its stage as passed, see `LoginFlow.pass`. */
  readonly login?: Login
}

/**
 * Records the use of a factor: sets when it was last used, adds a record to the session, and emits the signal after the
 * commit. Joins the transaction that uses up the code or credential, so that a session conflict undoes that too.
 * @returns the authenticator as stored now
 * @throws {AuthError} `session_conflict`; `not_found` if it was removed in the meantime
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

/** Emits `authentication_failed` for a wrong code or credential, with the user's main authenticator. */
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

/** A counted attempt with a second factor. */
interface MfaAttempt {
  /** Marks the attempt as successful: resets the user's count, and removes this attempt from the IP address's count. */
  succeeded(): Promise<void>
  /** Removes the attempt from both counts, because something else went wrong. */
  giveBack(): Promise<void>
}

/**
 * Counts a second factor attempt before it is checked, outside of a transaction. Counts per user regardless of the
 * host name, so another host name gives no extra attempts.
 * @param counted The user. `isKnown` is `false` if only a user handle names them: such attempts are counted apart, so
 *   that they can't lock the user out of the second factor.
 * @param param Field that the error is reported for.
 * @throws {InvalidInput} `too_many_login_attempts`
 */
export async function takeMfaSlot(
  account: Account,
  request: Visit,
  counted: { readonly userId: UserId; readonly isKnown: boolean },
  param: string,
): Promise<MfaAttempt> {
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

/** Factors that a login requires. Recovery codes only replace one of them. */
export const MAIN_TYPES = ['totp', 'webauthn'] as const satisfies readonly AuthenticatorType[]

/** Returns whether an authenticator is a factor by itself. */
export const isPrimaryFactor = ({ type }: Pick<Authenticator, 'type'>): boolean => type !== 'recovery_codes'

/**
 * Returns the user's types in the fixed order. Includes those that are no longer supported, because a factor that was
 * set up is still required. None while the module is off.
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
