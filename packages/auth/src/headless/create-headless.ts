import type { Core } from '../core.ts'
import { bound } from '../kernel/hooks.ts'
import type { AuthOptions } from '../options.ts'
import type { Headless } from './headless.ts'
import { headlessHooks } from './hooks.ts'
import { createTokenStrategy } from './tokens/create-token-strategy.ts'

/** The JSON API's own parts. @param core Asked at each call: they are part of it. */
export function createHeadless(
  core: () => Core,
  options: Pick<AuthOptions<never>, 'adapters' | 'tokenStrategy' | 'origin'>,
): Headless {
  const input = options.adapters?.headless
  const defaults = headlessHooks(core)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  // A host that shows more of a user need not say what: then its description leaves it open.
  const schema =
    overrides.serializeUser === undefined ? {} : { getUserSchema: () => ({ additionalProperties: true }) as const }
  return {
    adapter: { ...defaults, ...schema, ...bound(overrides, Object.keys(defaults)) },
    tokens: createTokenStrategy(core, options),
  }
}
