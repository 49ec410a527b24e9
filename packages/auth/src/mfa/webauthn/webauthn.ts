import type { Core } from '../../core.ts'
import type { WebauthnFlow } from '../../mfa/mfa.ts'

export function webauthnFlow(_core: () => Core): WebauthnFlow {
  return {} as WebauthnFlow // not there yet
}
