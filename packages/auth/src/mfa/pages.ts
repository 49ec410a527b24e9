import type { Core } from '../core.ts'
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
export function mfaPages(core: Core): readonly PageRoute[] {
  const { mfa, account } = core.settings
  if (!mfa.enabled) return []
  const has = (type: (typeof mfa.supportedTypes)[number]): boolean => mfa.supportedTypes.includes(type)
  return [
    ...indexPages(core),
    ...authenticatePages(core),
    ...reauthenticatePages(core),
    ...(mfa.trustEnabled || account.loginByCodeTrustEnabled ? trustPages(core) : []),
    ...(has('totp') ? totpPages(core) : []),
    ...(has('recovery_codes') ? recoveryCodePages(core) : []),
    ...(has('webauthn') ? keyPages(core) : []),
    ...(mfa.passkeyLoginEnabled ? passkeyLoginPages(core) : []),
    ...(mfa.passkeySignupEnabled ? passkeySignupPages(core) : []),
  ]
}
