import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import {
  type Exchange,
  type ExchangeCall,
  type ExchangeCallback,
  ProviderError,
  type ProviderIdentity,
} from '../exchange.ts'
import { parseForeignJson } from '../wire/provider-reply.ts'
import { beginOAuth2, endpoint, recordFor, type Kept } from './begin.ts'
import { toOAuth2Identity, addProfileMembers, fetchProfile } from './profile.ts'
import type { OAuth2Record } from './record.ts'
import { exchangeCode } from './token.ts'
import { type RecordValues, recordValues } from './values.ts'

/**
 * Creates the OAuth 2 exchange of a provider's record.
 * @see RFC 6749 (OAuth 2.0), RFC 7636 (PKCE), RFC 9207 (issuer of callbacks), RFC 9700 (good practice)
 */
export function oauth2Exchange(data: OAuth2Record): Exchange {
  const exchange: Exchange = {
    begin: async (call, start) => beginOAuth2(data, call, start),
    finish: (call, callback) => finish(data, call, callback),
  }
  if (data.givenToken === undefined) return exchange
  return {
    ...exchange,
    verifyToken: async (call, token) => (await import('./given-token.ts')).verifyGivenToken(data, call, token),
  }
}

async function finish(data: OAuth2Record, call: ExchangeCall, callback: ExchangeCallback): Promise<ProviderIdentity> {
  const kept = readKept(callback.kept)
  const record = recordFor(data, call.app, kept.scopes)
  const values = recordValues(record, call, kept.query)
  const code = readAuthorizationCode(record, call, callback.params, values)
  const { reply, tokens } = await exchangeCode({ record, call, kept, values, callback: callback.params, code })
  const question = { record, call, values, accessToken: tokens.token, token: reply, callback: callback.params }
  const profile = (await readIdTokenClaims(question, kept)) ?? (await fetchProfile(question))
  const told = record.userInCallback === true ? { ...userIn(callback.params), ...profile } : profile
  return toOAuth2Identity(
    record,
    call,
    addProfileMembers(record, told, { token: reply, callback: callback.params, values }),
    tokens,
  )
}

/** Returns the code of a callback. @throws {ProviderError} `cancelled`, `unknown` */
function readAuthorizationCode(
  record: OAuth2Record,
  call: ExchangeCall,
  params: URLSearchParams,
  values: RecordValues,
): string {
  const codeParam = record.codeParam ?? 'code'
  for (const name of [codeParam, 'code', 'state', 'error', 'iss']) {
    if (params.getAll(name).length > 1) throw new ProviderError('unknown', `the callback has several values of ${name}`)
  }
  const error = params.get('error')
  if (error !== null) {
    const cancelled = error === 'access_denied' || record.cancelErrors?.includes(error) === true
    if (cancelled) throw new ProviderError('cancelled', 'the person refused')
    throw new ProviderError('unknown', `the provider refused${/^[\w.-]{1,64}$/.test(error) ? ` (${error})` : ''}`)
  }
  const issuer = endpoint(record, call, 'issuer')
  const named = params.get('iss')
  if (issuer !== undefined && named !== null && stripIssuerSlash(named) !== stripIssuerSlash(values.text(issuer))) {
    throw new ProviderError('unknown', 'the callback is of another issuer')
  }
  const code = params.get(codeParam) ?? params.get('code') ?? ''
  if (code === '') throw new ProviderError('unknown', 'the callback has no code')
  return code
}

/** Removes trailing slashes, because settings are written with and without. */
const stripIssuerSlash = (address: string): string => address.replace(/\/+$/, '')

/** Returns the ID token's claims if they are the profile; `null` if it has to be fetched. @throws {ProviderError} */
async function readIdTokenClaims(question: Parameters<typeof fetchProfile>[0], kept: Kept): Promise<JsonObject | null> {
  const { record, call, token, callback } = question
  if (record.idToken?.isProfile !== true) return null
  const given = isRecord(token) ? token['id_token'] : undefined
  // Apple sends one with the callback too, where anyone could have put it: only a nonce binds it to our request.
  const idToken = typeof given === 'string' ? given : kept.nonce === undefined ? null : callback.get('id_token')
  if (idToken !== null && idToken !== '') {
    const { idTokenClaims } = await import('./id-token-claims.ts')
    return idTokenClaims(question, idToken, kept.nonce)
  }
  if (endpoint(record, call, 'profile') !== undefined) return null
  throw new ProviderError('unknown', 'there is no id token')
}

/**
 * Returns the name in Apple's callback.
 * @see https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
 */
function userIn(params: URLSearchParams): JsonObject {
  const user = parseForeignJson(params.get('user') ?? '')
  return isRecord(user) && isRecord(user['name']) ? { name: user['name'] } : {}
}

function readKept(kept: JsonObject): Kept {
  const { verifier, nonce, scopes, query } = kept
  const texts = isRecord(query) ? Object.entries(query) : []
  return {
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    query: Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
    ...(typeof verifier === 'string' && { verifier }),
    ...(typeof nonce === 'string' && { nonce }),
  }
}
