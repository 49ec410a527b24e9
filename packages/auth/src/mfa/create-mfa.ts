import type { Core } from '../core.ts'
import { bound } from '../kernel/hooks.ts'
import type { MfaAdapterInput } from './adapter.ts'
import { authenticateByCode } from './authenticate/by-code.ts'
import { sqlAuthenticatorStore } from './authenticator-store.sql.ts'
import { mfaHooks } from './hooks.ts'
import { recoveryCodeFlow } from './recovery-codes/recovery-codes.ts'
import type { SecondFactors } from './second-factors.ts'
import { totpFlow } from './totp/totp.ts'
import { trustFlow } from './trust/trust.ts'
import { typesOf } from './types-of-user.ts'
import { webauthnFlow } from './webauthn/webauthn.ts'

/** Second factors of one instance. @param core Asked at each call: they are part of it. */
export function createMfa(core: () => Core, input: MfaAdapterInput | undefined): SecondFactors {
  const defaults = mfaHooks(core)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  return {
    adapter: { ...defaults, ...bound(overrides, Object.keys(defaults)) },
    authenticators: sqlAuthenticatorStore(core),
    totp: totpFlow(core),
    recoveryCodes: recoveryCodeFlow(core),
    webauthn: webauthnFlow(core),
    trust: trustFlow(core),
    authenticateByCode: (request, user, code, options) => authenticateByCode(core(), request, user, code, options),
    typesOf: (request, user) => typesOf(core(), request, user),
  }
}
