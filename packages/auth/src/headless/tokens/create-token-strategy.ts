import type { Core } from '../../core.ts'
import type { AuthOptions } from '../../options.ts'
import { jwtStrategy } from './jwt-strategy.ts'
import { SESSION_STRATEGY } from './session-strategy.ts'
import type { TokenStrategy } from './strategy.ts'

/**
 * The host's own strategy, or the one that the settings name.
 * @param core Asked at the first call: the strategy is part of it.
 */
export function createTokenStrategy(
  core: () => Core,
  { tokenStrategy: custom, origin }: Pick<AuthOptions<never>, 'tokenStrategy' | 'origin'>,
): Required<TokenStrategy> {
  let made: TokenStrategy | null = null
  const make = (): TokenStrategy => {
    if (custom !== undefined) return custom(core())
    return core().settings.headless.tokenStrategy === 'jwt' ? jwtStrategy(core(), origin) : SESSION_STRATEGY
  }
  const strategy = (): TokenStrategy => (made ??= make())
  return {
    findSession: (request) => strategy().findSession(request),
    createSessionToken: (request, token) => strategy().createSessionToken(request, token),
    createAccessTokens: (request) => strategy().createAccessTokens(request),
    refresh: (request, refreshToken) => strategy().refresh(request, refreshToken),
    checkAccessToken: (token) => strategy().checkAccessToken?.(token) ?? Promise.resolve(null),
    tokenSchemas: () => strategy().tokenSchemas?.() ?? {},
  }
}
