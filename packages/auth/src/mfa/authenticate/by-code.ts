import { type AuthError, InvalidInput } from '../../errors.ts'
import type { Login, LoginStage } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, AuthenticatorData, FactorUse } from '../mfa.ts'
import { useRecoveryCode } from '../recovery-codes.ts'
import { isUnreadable } from '../sealed-secret.ts'
import type { Mfa } from '../second-factors.ts'
import { useTotpCode } from '../totp/totp.ts'
import { MAIN_TYPES, recordAuthenticatorUse, recordFailure, takeMfaSlot } from '../uses.ts'

/**
 * Checks a TOTP or recovery code of the user, as second factor or for reauthentication. Uses up and records a correct
 * one in one transaction: of two parallel requests one passes, and after a session conflict the code is still unused.
 * @returns the authenticator of the code
 * @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `code`)
 * @throws {AuthError} `session_conflict`; `secret_unreadable` if a secret can't be opened and no other code matches
 */
export async function authenticateByCode(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  options: FactorUse,
): Promise<Authenticator> {
  const tried = await takeMfaSlot(mfa.account, request, { userId: user.id, isKnown: true }, 'code')
  let used: Authenticator | null
  try {
    used = await request.transaction(() => consumeFactorCode(mfa, request, user, code, options))
  } catch (error) {
    await tried.giveBack()
    throw error
  }
  if (used !== null) {
    await tried.succeeded()
    return used
  }
  await recordFailure(mfa, request, user, options)
  throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param: 'code' })])
}

async function consumeFactorCode(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  options: FactorUse,
): Promise<Authenticator | null> {
  const store = mfa.authenticators
  await store.lock(request.db, user.id)
  const rows = await store.ofUser(request.db, user.id, ['totp', 'recovery_codes'])
  let unreadable: AuthError | null = null
  for (const row of rows.toSorted((a, b) => Number(b.type === 'totp') - Number(a.type === 'totp'))) {
    try {
      const data = await toUsedData(mfa, row, code, request.nowMs)
      if (data === null) continue
      await store.update(request.db, row.id, { data })
    } catch (error) {
      // Recovery codes must work even if the secret of the app can't be opened.
      if (!isUnreadable(error)) throw error
      unreadable = error
      continue
    }
    return recordAuthenticatorUse(mfa, request, user, row, options)
  }
  if (unreadable !== null) throw unreadable
  return null
}

const toUsedData = async (
  mfa: Mfa,
  { type, data }: Authenticator,
  code: string,
  nowMs: number,
): Promise<AuthenticatorData | null> =>
  type === 'totp' ? useTotpCode(mfa, data, code, nowMs) : useRecoveryCode(mfa, data, code)

/** Key of the login stage, and name of its page. */
export const MFA_STAGE = 'mfa_authenticate'

/** Returns the login stage that waits for a second factor. Recovery codes alone don't count as one. */
export const mfaStage = (mfa: Mfa): LoginStage => ({
  key: MFA_STAGE,
  page: MFA_STAGE,
  resumable: () => true,
  enter: async (request, login) => ((await isNeeded(mfa, request, login)) ? { kind: 'wait' } : { kind: 'pass' }),
})

async function isNeeded(mfa: Mfa, request: Visit, login: Login): Promise<boolean> {
  const { user } = login
  const settings = mfa.kernel.settings.mfa
  if (user === null || !settings.enabled || !(await mfa.adapter.isMfaEnabled(request, user, MAIN_TYPES))) return false
  if (await isByPasskey(mfa, request, login, user)) return false
  return !(settings.trustEnabled && (await mfa.trust.isTrusted(request, user)))
}

/** Returns whether this login used a passkey of this user. The session can have records of other logins and users. */
async function isByPasskey(mfa: Mfa, request: Visit, login: Login, user: User): Promise<boolean> {
  const ids = mfa.account.login
    .records(request)
    .filter(
      ({ method, passwordless, at }) => method === 'mfa' && passwordless === true && at >= login.initiatedAtMs / 1000,
    )
    .map(({ id }) => id)
  if (ids.length === 0) return false
  const keys = await mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])
  return keys.some(({ id }) => ids.includes(id))
}
