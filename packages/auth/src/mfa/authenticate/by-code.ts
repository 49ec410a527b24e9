import type { Mfa } from '../second-factors.ts'
import { type AuthError, InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator, AuthenticatorData, FactorUse } from '../mfa.ts'
import { withRecoveryCodeUsed } from '../recovery-codes/code-set.ts'
import { isUnreadable } from '../sealed-secret.ts'
import { withCodeUsed } from '../totp/used-code.ts'
import { takeMfaTry } from '../tries.ts'
import { recordFailure, recordUse } from '../uses.ts'

/**
 * Checks a TOTP or recovery code of the user, as second factor or to confirm who it is. A right one is used up and
 * recorded in one transaction: of two requests with it one passes, and when the session has changed meanwhile it is as
 * if nobody had typed it.
 * @returns what the code belongs to
 * @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `code`)
 * @throws {AuthError} `session_conflict`; `secret_unreadable`: one of them cannot be opened, and no other is right
 */
export async function authenticateByCode(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  options: FactorUse,
): Promise<Authenticator> {
  const tried = await takeMfaTry(mfa.account, request, { userId: user.id, isKnown: true }, 'code')
  let used: Authenticator | null
  try {
    used = await request.transaction(() => spend(mfa, request, user, code, options))
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

async function spend(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  options: FactorUse,
): Promise<Authenticator | null> {
  const store = mfa.authenticators
  await store.claim(request.db, user.id)
  const rows = await store.ofUser(request.db, user.id, ['totp', 'recovery_codes'])
  let unreadable: AuthError | null = null
  for (const row of rows.toSorted((a, b) => Number(b.type === 'totp') - Number(a.type === 'totp'))) {
    try {
      const data = await withUsed(mfa, row, code, request.nowMs)
      if (data === null) continue
      await store.update(request.db, row.id, { data })
    } catch (error) {
      // Another factor may still be right: recovery codes are for who has lost the app.
      if (!isUnreadable(error)) throw error
      unreadable = error
      continue
    }
    return recordUse(mfa, request, user, row, options)
  }
  if (unreadable !== null) throw unreadable
  return null
}

const withUsed = async (
  mfa: Mfa,
  { type, data }: Authenticator,
  code: string,
  nowMs: number,
): Promise<AuthenticatorData | null> =>
  type === 'totp' ? withCodeUsed(mfa, data, code, nowMs) : withRecoveryCodeUsed(mfa, data, code)
