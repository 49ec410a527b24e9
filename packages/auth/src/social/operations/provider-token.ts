import type { Social, SocialOutcome } from '../social-accounts.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { GivenToken } from '../exchange.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import type { Provider } from '../provider.ts'
import type { ApiAnswer } from '../../kernel/operations/operation.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

type Token = Readonly<Record<string, unknown>>

/** What an app brings that has been at a provider by itself. */
export interface TokenInput {
  readonly provider: string
  readonly process: string
  readonly token: Token
}

/** Signs in with a token of a provider, or links the account. @throws {InvalidInput} with everything that is wrong */
export async function loginByToken(social: Social, request: Visit, input: TokenInput): Promise<ApiAnswer> {
  const wrong = (code: string, param: string): InputError => social.account.adapter.validationError(code, { param })
  const { process } = input
  const found = await findProvider(social, request, input)
  const problem = 'code' in found ? wrong(found.code, found.param) : null
  if ('code' in found || (process !== 'login' && process !== 'connect')) {
    const isProcess = process === 'login' || process === 'connect'
    throw new InvalidInput([
      ...(isProcess ? [] : [wrong('invalid_choice', 'process')]),
      ...(problem === null ? [] : [problem]),
    ])
  }
  return tokenAnswer(social, await social.byToken(request, found.provider, found.token, process))
}

interface Found {
  readonly provider: Provider
  readonly token: GivenToken
}
interface Problem {
  readonly code: string
  readonly param: 'provider' | 'token'
}
const ofToken = (code: string): Problem => ({ code, param: 'token' })

async function findProvider(
  social: Social,
  request: Visit,
  { provider: id, token }: TokenInput,
): Promise<Found | Problem> {
  if (Object.keys(token).length === 0) return ofToken('required')
  const clientId = token['client_id']
  // A sub-provider is none of these, and has an app.
  const entry = (await social.entries()).find((known) => known.id === id)
  const needsApp = entry?.needsApp ?? true
  if (needsApp && typeof clientId !== 'string') return ofToken('client_id_required')
  const given = typeof clientId === 'string' ? clientId : ''
  const provider = await providerIfAny(social, request, id, given === '' ? undefined : given)
  if (provider === null) return ofToken('invalid_token')
  if (!provider.supportsToken) return { code: 'token_authentication_not_supported', param: 'provider' }
  if (needsApp && provider.app.clientId !== given) return ofToken('client_id_mismatch')
  const { id_token: idToken = '', access_token: accessToken = '' } = token
  if (typeof idToken !== 'string' || typeof accessToken !== 'string' || `${idToken}${accessToken}` === '') {
    return ofToken('token_required')
  }
  return {
    provider,
    token: {
      ...(given !== '' && { clientId: given }),
      ...(idToken !== '' && { idToken }),
      ...(accessToken !== '' && { accessToken }),
    },
  }
}

function tokenAnswer(social: Social, outcome: SocialOutcome): ApiAnswer {
  switch (outcome.kind) {
    case 'login':
      return loginAnswer(outcome.outcome)
    case 'connected':
      if (outcome.action === 'other')
        throw new InvalidInput([social.account.adapter.validationError('connected_other')])
      return { kind: 'authentication' }
    case 'signup_closed':
      throw new AuthError('permission_denied')
    case 'failed':
      throw new InvalidInput([social.account.adapter.validationError('invalid_token', { param: 'token' })])
    case 'signup':
    case 'redirect':
      return { kind: 'authentication' }
  }
}
