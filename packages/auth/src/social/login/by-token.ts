import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireConnectUser } from '../links/connect.ts'
import { ProviderError, type GivenToken, type ProviderIdentity } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { exchangeCall, completeHandshake, recordTokenUse } from './handshake.ts'

/**
 * Signs in or connects an account by a token that an app got from the provider's SDK.
 * @throws {InvalidInput} `token_authentication_not_supported` (`provider`), `client_id_required`, `token_required`,
 *   `invalid_token` (`token`)
 * @throws {AuthError} `login_required`, `reauthentication_required`
 */
export async function authenticateByToken(
  social: Social,
  request: Visit,
  provider: Provider,
  token: GivenToken,
  process: 'login' | 'connect',
): Promise<SocialOutcome> {
  const problem = checkProviderToken(provider, token)
  if (problem !== null) throw tokenInputError(social.account, ...problem)
  if (process === 'connect') await requireConnectUser(social.account, request)
  const identity = await verifyProviderToken(social, request, provider, token)
  const state = { process, next: null, action: 'authenticate', headless: null, data: {} } as const
  return completeHandshake(social, request, provider, identity, state)
}

const tokenInputError = (account: Account, code: string, param: string): InvalidInput =>
  new InvalidInput([account.adapter.validationError(code, { param })])

function checkProviderToken(
  { supportsToken, app, record }: Provider,
  token: GivenToken,
): readonly [string, string] | null {
  const { clientId = '', idToken = '', accessToken = '' } = token
  if (record.needsApp && clientId === '') return ['client_id_required', 'token']
  if (!supportsToken) return ['token_authentication_not_supported', 'provider']
  if (clientId !== '' && clientId !== app.clientId) return ['invalid_token', 'token']
  return idToken === '' && accessToken === '' ? ['token_required', 'token'] : null
}

async function verifyProviderToken(
  social: Social,
  request: Visit,
  provider: Provider,
  token: GivenToken,
): Promise<ProviderIdentity> {
  const exchange = await provider.exchange()
  if (exchange.verifyToken === undefined)
    throw tokenInputError(social.account, 'token_authentication_not_supported', 'provider')
  try {
    const identity = await exchange.verifyToken(exchangeCall(social, request, provider), token)
    await recordTokenUse(request, provider, identity.replay)
    return identity
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    social.kernel.log.warn('A token of a provider was refused', { provider: provider.id, error })
    throw tokenInputError(social.account, 'invalid_token', 'token')
  }
}
