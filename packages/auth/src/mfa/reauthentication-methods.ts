import type { ReauthenticationMethod } from '../account/adapter.ts'
import type { Core } from '../core.ts'
import type { AuthRequest } from '../request.ts'
import type { User } from '../users/user.ts'

/** How the factors of a user can confirm who it is: a code first, then a security key. */
export async function mfaReauthenticationMethods(
  core: Core,
  request: AuthRequest,
  user: User,
): Promise<readonly ReauthenticationMethod[]> {
  const types = await core.mfa.typesOf(request, user)
  const byCode = types.includes('totp') || types.includes('recovery_codes')
  const byKey = types.includes('webauthn') && core.settings.mfa.supportedTypes.includes('webauthn')
  const code = (): ReauthenticationMethod => ({
    id: 'mfa_reauthenticate',
    description: request.t('Use your authenticator app or a recovery code'),
    url: core.url('mfa_reauthenticate'),
  })
  const key = (): ReauthenticationMethod => ({
    id: 'mfa_reauthenticate_webauthn',
    description: request.t('Use a security key'),
    url: core.url('mfa_reauthenticate_webauthn'),
  })
  return [...(byCode ? [code()] : []), ...(byKey ? [key()] : [])]
}
