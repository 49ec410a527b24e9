import type { ReauthenticationMethod } from '../account/adapter.ts'
import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/** Ids of the methods, and names of their pages. */
export const BY_CODE = 'mfa_reauthenticate'
export const BY_KEY = 'mfa_reauthenticate_webauthn'

/** How the factors of a user can confirm who it is: a code first, then a security key. */
export async function mfaReauthenticationMethods(
  core: Core,
  request: Visit,
  user: User,
): Promise<readonly ReauthenticationMethod[]> {
  const types = await core.mfa.typesOf(request, user)
  const byCode = types.includes('totp') || types.includes('recovery_codes')
  const byKey = types.includes('webauthn') && core.settings.mfa.supportedTypes.includes('webauthn')
  const code = (): ReauthenticationMethod => ({
    id: BY_CODE,
    description: request.t('Use your authenticator app or a recovery code'),
    url: core.url(BY_CODE),
  })
  const key = (): ReauthenticationMethod => ({
    id: BY_KEY,
    description: request.t('Use a security key'),
    url: core.url(BY_KEY),
  })
  return [...(byCode ? [code()] : []), ...(byKey ? [key()] : [])]
}
