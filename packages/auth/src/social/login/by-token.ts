import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { mayConnect } from '../links/connect.ts'
import { type GivenToken, ProviderError, type ProviderIdentity } from '../exchange.ts'
import { exchangeCall, goOn, rememberUse } from './handshake.ts'
import type { Provider } from '../provider.ts'
import type { SocialOutcome } from '../social-accounts.ts'

/**
 * Signs in, or connects, by a token that an app was given by the provider's own software.
 * @throws {InvalidInput} `token_authentication_not_supported` (`provider`), `client_id_required`, `token_required`,
 *   `invalid_token` (`token`)
 * @throws {AuthError} `login_required`, `reauthentication_required`
 */
export async function byToken(
  core: Core,
  request: Visit,
  provider: Provider,
  token: GivenToken,
  process: 'login' | 'connect',
): Promise<SocialOutcome> {
  const problem = problemOf(provider, token)
  if (problem !== null) throw refusal(core, ...problem)
  if (process === 'connect') await mayConnect(core, request)
  const identity = await verified(core, request, provider, token)
  const state = { process, next: null, action: 'authenticate', headless: null, data: {} } as const
  return goOn(core, request, provider, identity, state)
}

const refusal = (core: Core, code: string, param: string): InvalidInput =>
  new InvalidInput([core.adapter.validationError(code, { param })])

function problemOf({ supportsToken, app, record }: Provider, token: GivenToken): readonly [string, string] | null {
  const { clientId = '', idToken = '', accessToken = '' } = token
  if (record.needsApp && clientId === '') return ['client_id_required', 'token']
  if (!supportsToken) return ['token_authentication_not_supported', 'provider']
  if (clientId !== '' && clientId !== app.clientId) return ['invalid_token', 'token']
  return idToken === '' && accessToken === '' ? ['token_required', 'token'] : null
}

async function verified(core: Core, request: Visit, provider: Provider, token: GivenToken): Promise<ProviderIdentity> {
  const exchange = await provider.exchange()
  if (exchange.verifyToken === undefined) throw refusal(core, 'token_authentication_not_supported', 'provider')
  try {
    const identity = await exchange.verifyToken(exchangeCall(core, request, provider), token)
    await rememberUse(core, request, provider, identity.replay)
    return identity
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    core.log.warn('A token of a provider was refused', { provider: provider.id, error })
    throw refusal(core, 'invalid_token', 'token')
  }
}
