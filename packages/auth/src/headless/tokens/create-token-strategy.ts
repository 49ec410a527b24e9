import type { Core } from '../../core.ts'
import type { TokenStrategy } from './strategy.ts'

/** @param custom The host's own, in place of what the settings name. */
export function createTokenStrategy(
  core: () => Core,
  custom: ((core: Core) => TokenStrategy) | undefined,
): TokenStrategy {
  if (custom !== undefined) return custom(core())
  return {} as TokenStrategy // not there yet
}
