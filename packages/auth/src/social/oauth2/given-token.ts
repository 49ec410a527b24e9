import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { clockedCache } from '../wire/clocked-cache.ts'
import {
  type ExchangeCall,
  type GivenToken,
  ProviderError,
  type ProviderIdentity,
  type ProviderTokens,
  type TokenReplay,
} from '../exchange.ts'
import { toIdTokenReplay } from '../wire/id-token.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, expectStatus, parseReplyObject } from '../wire/provider-reply.ts'
import { apiRequest, parseGrantedTokens } from './token.ts'
import { endpoint, recordFor } from './begin.ts'
import { primaryClientId, recordValues, type RecordValues } from './values.ts'
import { verifyIdTokenClaims } from './id-token-claims.ts'
import { toOAuth2Identity, fetchProfile } from './profile.ts'
import type { OAuth2Record } from './record.ts'

type Verified = ProviderIdentity & { readonly replay: TokenReplay | null }

/**
 * Verifies a token that one of our apps got from the provider's SDK.
 * @throws {ProviderError} `unknown` if it's forged, expired, for another app, or of an unsupported kind
 */
export async function verifyGivenToken(data: OAuth2Record, call: ExchangeCall, given: GivenToken): Promise<Verified> {
  const record = recordFor(data, call.app)
  const values = recordValues(record, call, {})
  const { accessToken = '', idToken = '' } = given
  if (record.givenToken === 'facebook' && accessToken !== '')
    return verifyByAccessToken(record, call, values, accessToken)
  if (idToken === '') throw new ProviderError('unknown', 'there is no id token')
  const claims = await verifyIdTokenClaims(record, call, values, idToken, undefined)
  const tokens = accessToken === '' ? null : { token: accessToken, tokenSecret: '', expiresAtMs: null }
  return { ...toOAuth2Identity(record, call, renameClaims(record, claims), tokens), replay: toIdTokenReplay(claims) }
}

/** Returns the claims under the names of profile members. */
function renameClaims(record: OAuth2Record, claims: JsonObject): JsonObject {
  const names = record.idToken?.names
  if (names === undefined) return claims
  return Object.fromEntries(
    Object.entries(names)
      .map(([claim, name]) => [name, valueAt(claims, claim)] as const)
      .filter(([, value]) => value !== undefined),
  )
}

/** Verifies an access token that Facebook issued to this app, and fetches the profile with it. */
async function verifyByAccessToken(
  record: OAuth2Record,
  call: ExchangeCall,
  values: RecordValues,
  accessToken: string,
): Promise<Verified> {
  await requireOwnToken(call, values, record, accessToken)
  const tokens = await exchangeLongLivedToken(record, call, values, accessToken)
  const nothing = { token: {}, callback: new URLSearchParams() }
  const profile = await fetchProfile({ record, call, values, accessToken: tokens.token, ...nothing })
  return { ...toOAuth2Identity(record, call, profile, tokens), replay: null }
}

/**
 * Checks that Facebook issued the token to this app.
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow#checktoken
 */
async function requireOwnToken(
  call: ExchangeCall,
  values: RecordValues,
  record: OAuth2Record,
  accessToken: string,
): Promise<void> {
  const inspect = values.address('{GRAPH_API_URL}/debug_token')
  const appToken = await loadAppToken(call, values, record)
  const reply = await callGraphApi(call, inspect, { input_token: accessToken, access_token: appToken })
  if (valueAt(reply, 'data.is_valid') !== true || textAt(reply, 'data.app_id') !== primaryClientId(call.app)) {
    throw new ProviderError('unknown', 'the access token was not issued to this app')
  }
}

const appTokens = clockedCache<string>(200)

/** Returns the app's own token, cached for `APP_TOKEN_CACHE_TIMEOUT` seconds. */
async function loadAppToken(call: ExchangeCall, values: RecordValues, record: OAuth2Record): Promise<string> {
  const url = tokenUrl(record, call, values)
  const client = { client_id: primaryClientId(call.app), client_secret: call.app.secret }
  const key = JSON.stringify([url, client])
  const known = appTokens.get(call.io.clock, key)
  if (known !== null) return known.value
  const token = textAt(await callGraphApi(call, url, { ...client, grant_type: 'client_credentials' }), 'access_token')
  if (token === '') throw new ProviderError('unknown', 'there is no token of the app')
  const seconds = Number(values.setting('APP_TOKEN_CACHE_TIMEOUT'))
  if (seconds > 0) appTokens.set(call.io.clock, key, token, seconds * 1000)
  return token
}

/** Exchanges a token for a long-lived one if `EXCHANGE_TOKEN` is on. */
async function exchangeLongLivedToken(
  record: OAuth2Record,
  call: ExchangeCall,
  values: RecordValues,
  accessToken: string,
): Promise<ProviderTokens> {
  if (values.setting('EXCHANGE_TOKEN')?.toLowerCase() !== 'true')
    return { token: accessToken, tokenSecret: '', expiresAtMs: null }
  const reply = await callGraphApi(call, tokenUrl(record, call, values), {
    grant_type: 'fb_exchange_token',
    client_id: primaryClientId(call.app),
    client_secret: call.app.secret,
    fb_exchange_token: accessToken,
  })
  return parseGrantedTokens(record, call, reply).tokens
}

const tokenUrl = (record: OAuth2Record, call: ExchangeCall, values: RecordValues): string =>
  values.address(endpoint(record, call, 'token') ?? '')

async function callGraphApi(
  call: ExchangeCall,
  url: string,
  query: Readonly<Record<string, string>>,
): Promise<JsonObject> {
  const what = 'a request to the graph'
  const request = apiRequest(call, { method: 'GET', url, query }, what)
  return parseReplyObject(expectStatus(await askProvider(call.io, request, what), what), what)
}
