import type { Mfa } from './second-factors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import { AUTHENTICATOR_TYPES } from './authenticator-store.sql.ts'
import type { Authenticator, AuthenticatorType } from './mfa.ts'

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
