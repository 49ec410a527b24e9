import type { Mfa } from './second-factors.ts'
import type { Login } from '../kernel/login.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import { AuthError } from '../errors.ts'
import type { Authenticator } from './mfa.ts'
import { isPrimaryFactor } from './types-of-user.ts'

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
