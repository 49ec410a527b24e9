import type { Headless } from '../headless.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { jwtStrategy } from './jwt-strategy.ts'
import { SESSION_STRATEGY, type TokenStrategy } from './strategy.ts'

/**
 * Returns the host's own strategy, or the one in the settings. Creates it at the first call, because it uses the rest
 * of the module.
 * @param custom Creates the host's own strategy, if it has one.
 */
export function createTokenStrategy(
  headless: Headless,
  custom: ((kernel: Kernel) => TokenStrategy) | undefined,
): Required<TokenStrategy> {
  let made: TokenStrategy | null = null
  const make = (): TokenStrategy => {
    if (custom !== undefined) return custom(headless.kernel)
    return headless.kernel.settings.headless.tokenStrategy === 'jwt' ? jwtStrategy(headless) : SESSION_STRATEGY
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
