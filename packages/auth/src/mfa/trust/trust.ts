import type { Core } from '../../core.ts'
import type { TrustFlow } from '../../mfa/mfa.ts'

export function trustFlow(_core: () => Core): TrustFlow {
  return {} as TrustFlow // not there yet
}
