import type { Core } from '../core.ts'
import type { AuthenticatorStore } from '../mfa/mfa.ts'

export function sqlAuthenticatorStore(_core: () => Core): AuthenticatorStore {
  return {} as AuthenticatorStore // not there yet
}
