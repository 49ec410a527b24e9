import type { Core } from '../../core.ts'
import type { TotpFlow } from '../../mfa/mfa.ts'

export function totpFlow(_core: () => Core): TotpFlow {
  return {} as TotpFlow // not there yet
}
