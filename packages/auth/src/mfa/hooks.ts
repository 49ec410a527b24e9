import type { Core } from '../core.ts'
import type { MfaAdapter } from './adapter.ts'

export function mfaHooks(_core: () => Core): MfaAdapter {
  return {} as MfaAdapter // not there yet
}
