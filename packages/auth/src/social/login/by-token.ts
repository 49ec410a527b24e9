import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { mayConnect } from '../links/connect.ts'
import { type GivenToken, ProviderError, type ProviderIdentity } from '../exchange.ts'
import { exchangeCall, goOn, rememberUse } from './handshake.ts'
import type { Provider } from '../provider.ts'

/**
 * Signs in, or connects, by a token that an app was given by the provider's own software.
 * @throws {InvalidInput} `token_authentication_not_supported` (`provider`), `client_id_required`, `token_required`,
 *   `invalid_token` (`token`)
 * @throws {AuthError} `login_required`, `reauthentication_required`
 */
export async function byToken(
  social: Social,
  request: Visit,
  provider: Provider,
  token: GivenToken,
  process: 'login' | 'connect',
): Promise<SocialOutcome> {
  const problem = problemOf(provider, token)
  if (problem !== null) throw refusal(social.account, ...problem)
  if (process === 'connect') await mayConnect(social.account, request)
  const identity = await verified(social, request, provider, token)
  const state = { process, next: null, action: 'authenticate', headless: null, data: {} } as const
  return goOn(social, request, provider, identity, state)
}

const refusal = (account: Account, code: string, param: string): InvalidInput =>
  new InvalidInput([account.adapter.validationError(code, { param })])

function problemOf({ supportsToken, app, record }: Provider, token: GivenToken): readonly [string, string] | null {
  const { clientId = '', idToken = '', accessToken = '' } = token
  if (record.needsApp && clientId === '') return ['client_id_required', 'token']
  if (!supportsToken) return ['token_authentication_not_supported', 'provider']
  if (clientId !== '' && clientId !== app.clientId) return ['invalid_token', 'token']
  return idToken === '' && accessToken === '' ? ['token_required', 'token'] : null
}

async function verified(
  social: Social,
  request: Visit,
  provider: Provider,
  token: GivenToken,
): Promise<ProviderIdentity> {
  const exchange = await provider.exchange()
  if (exchange.verifyToken === undefined)
    throw refusal(social.account, 'token_authentication_not_supported', 'provider')
  try {
    const identity = await exchange.verifyToken(exchangeCall(social, request, provider), token)
    await rememberUse(request, provider, identity.replay)
    return identity
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    social.kernel.log.warn('A token of a provider was refused', { provider: provider.id, error })
    throw refusal(social.account, 'invalid_token', 'token')
  }
}
