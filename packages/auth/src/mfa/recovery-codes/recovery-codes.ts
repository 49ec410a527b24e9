import type { Core } from '../../core.ts'
import type { RecoveryCodeFlow } from '../../mfa/mfa.ts'

export function recoveryCodeFlow(_core: () => Core): RecoveryCodeFlow {
  return {} as RecoveryCodeFlow // not there yet
}
