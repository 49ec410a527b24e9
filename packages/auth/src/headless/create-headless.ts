import type { Core } from '../core.ts'
import { bound } from '../hooks.ts'
import type { AuthOptions } from '../options.ts'
import type { Headless } from './headless.ts'
import { headlessHooks } from './hooks.ts'
import { createTokenStrategy } from './tokens/create-token-strategy.ts'

/** The JSON API's own parts. @param core Asked at each call: they are part of it. */
export function createHeadless(
  core: () => Core,
  { adapters, tokenStrategy }: Pick<AuthOptions<never>, 'adapters' | 'tokenStrategy'>,
): Headless {
  const input = adapters?.headless
  const defaults = headlessHooks(core)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  return {
    adapter: { ...defaults, ...bound(overrides, Object.keys(defaults)) },
    tokens: createTokenStrategy(core, tokenStrategy),
  }
}
