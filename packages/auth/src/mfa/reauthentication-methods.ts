import type { Mfa } from './second-factors.ts'
import type { ReauthenticationMethod } from '../kernel/login.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/** ID of the method that uses a code, and name of its page. */
export const BY_CODE = 'mfa_reauthenticate'
/** ID of the method that uses a security key, and name of its page. */
export const BY_KEY = 'mfa_reauthenticate_webauthn'

/** Returns the user's reauthentication methods: codes first, then security keys. */
export async function mfaReauthenticationMethods(
  mfa: Mfa,
  request: Visit,
  user: User,
): Promise<readonly ReauthenticationMethod[]> {
  const types = await mfa.loadAuthenticatorTypes(request, user)
  if (types.length === 0) return []
  const own = await mfa.authenticators.ofUser(request.db, user.id)
  const secondFactorSinceMs = Math.min(...own.map(({ createdAtMs }) => createdAtMs))
  const byCode = types.includes('totp') || types.includes('recovery_codes')
  const byKey = types.includes('webauthn') && mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
  const code = (): ReauthenticationMethod => ({
    id: BY_CODE,
    description: request.t('Use your authenticator app or a recovery code'),
    url: mfa.kernel.url(BY_CODE),
    secondFactorSinceMs,
  })
  const key = (): ReauthenticationMethod => ({
    id: BY_KEY,
    description: request.t('Use a security key'),
    url: mfa.kernel.url(BY_KEY),
    secondFactorSinceMs,
  })
  return [...(byCode ? [code()] : []), ...(byKey ? [key()] : [])]
}
