import type { Core } from '../core.ts'
import type { HeadlessAdapter } from './adapter.ts'

export function headlessHooks(_core: () => Core): HeadlessAdapter {
  return {} as HeadlessAdapter // not there yet
}
