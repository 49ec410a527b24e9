import type { Mfa } from './second-factors.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { authenticatePages } from './pages/authenticate-page.ts'
import { indexPages } from './pages/index-page.ts'
import { keyPages } from './pages/key-pages.ts'
import { passkeyLoginPages } from './pages/passkey-login-page.ts'
import { passkeySignupPages } from './pages/passkey-signup-pages.ts'
import { reauthenticatePages } from './pages/reauthenticate-pages.ts'
import { recoveryCodePages } from './pages/recovery-code-pages.ts'
import { totpPages } from './pages/totp-pages.ts'
import { trustPages } from './pages/trust-page.ts'

/** The pages of second factors that these settings have. */
export function mfaPages(mfa: Mfa): readonly PageRoute[] {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled) return []
  const has = (type: (typeof settings.supportedTypes)[number]): boolean => settings.supportedTypes.includes(type)
  return [
    ...indexPages(mfa),
    ...authenticatePages(mfa),
    ...reauthenticatePages(mfa),
    ...(settings.trustEnabled || account.loginByCodeTrustEnabled ? trustPages(mfa) : []),
    ...(has('totp') ? totpPages(mfa) : []),
    ...(has('recovery_codes') ? recoveryCodePages(mfa) : []),
    ...(has('webauthn') ? keyPages(mfa) : []),
    ...(settings.passkeyLoginEnabled ? passkeyLoginPages(mfa) : []),
    ...(settings.passkeySignupEnabled ? passkeySignupPages(mfa) : []),
  ]
}
