import { createHmac } from 'node:crypto'
import { equalsConstantTime } from '../../kernel/crypto/crypto.ts'
import { ALPHANUMERIC, randomText } from '../../kernel/crypto/random.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import {
  resolveAuthParams,
  resolveEndpoint,
  requireSafeAddress,
  resolveScopes,
  readTextOption,
} from '../apps/app-options.ts'
import {
  type Exchange,
  type ExchangeCall,
  type ExchangeCallback,
  type ExchangeIo,
  type ExchangeStart,
  ProviderError,
  type ProviderTokens,
} from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { valueAt } from '../profile/profile-path.ts'
import { askProvider, expectStatus, expectReplyObject, type ProviderReply } from '../wire/provider-reply.ts'
import type { OAuth1Profile, OAuth1Record } from './record.ts'

/** The reply of the token endpoint. */
interface AccessToken {
  readonly token: string
  readonly secret: string
  /** The rest of the reply. */
  readonly rest: JsonObject
}

/** Creates the OAuth 1.0a exchange with a provider. @see RFC 5849 */
export function oauth1Exchange(record: OAuth1Record): Exchange {
  if (record.dialect === 'pocket') return pocketExchange(record)
  return {
    async begin(call, start) {
      const kept = await requestToken(call, record, start)
      const url = new URL(resolveAuthorizeUrl(call, record, start))
      const params = resolveAuthParams(call.app, authorizeParams(call, record), start)
      const all = { ...params, oauth_token: kept.token, oauth_callback: call.redirectUri }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return { url: url.href, kept }
    },
    async finish(call, callback) {
      const access = await accessToken(call, record, callback)
      const profile = record.profile === 'token_reply' ? access.rest : await fetchProfile(call, record.profile, access)
      return {
        ...mapProfile(profile, record.person, readTextOption(call.app, 'uid_field')),
        extraData: profile,
        tokens: toOAuth1Tokens(record, access),
      }
    },
  }
}

/** Returns a URL of the record for this app. */
function resolveOAuth1Endpoint(call: ExchangeCall, record: OAuth1Record, name: string, fallback: string): string {
  const filled = Object.entries(record.hosts ?? {}).reduce(
    (address, [setting, host]) =>
      address.replaceAll(`{${setting}}`, readTextOption(call.app, setting.toLowerCase()) || host),
    fallback,
  )
  return requireSafeAddress(resolveEndpoint(call.app, name, filled), name)
}

function resolveAuthorizeUrl(call: ExchangeCall, record: OAuth1Record, start: ExchangeStart): string {
  return start.action === 'reauthenticate' && record.reauthenticateUrl !== undefined
    ? resolveOAuth1Endpoint(call, record, 'reauthenticate_url', record.reauthenticateUrl)
    : resolveOAuth1Endpoint(call, record, 'authorize_url', record.authorizeUrl)
}

const authorizeParams = (call: ExchangeCall, record: OAuth1Record): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(record.authorizeParams ?? {}).map(([name, value]) => [
      name,
      value.replaceAll('{app.name}', call.app.name || call.siteName),
    ]),
  )

/** Gets a request token (section 2.1). Sends the callback in the query, which all of these providers accept. */
async function requestToken(
  call: ExchangeCall,
  record: OAuth1Record,
  start: ExchangeStart,
): Promise<{ readonly token: string; readonly secret: string }> {
  const url = new URL(resolveOAuth1Endpoint(call, record, 'request_token_url', record.requestTokenUrl))
  const scopes = resolveScopes(call.app, record.scopes ?? [], start)
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '))
  url.searchParams.set('oauth_callback', call.redirectUri)
  const reply = await sign(call, 'POST', url.href, toOAuth1Keys(call), 'the request for a request token')
  const { token, secret } = readTokens(reply, 'the request for a request token')
  return { token, secret }
}

/** Exchanges the verifier for an access token (section 2.3). */
async function accessToken(
  call: ExchangeCall,
  record: OAuth1Record,
  { params, kept }: ExchangeCallback,
): Promise<AccessToken> {
  const { token, secret } = kept
  if (typeof token !== 'string' || typeof secret !== 'string') {
    throw new ProviderError('unknown', 'no request token is kept')
  }
  if (params.has('denied') || params.get('oauth_problem') === 'user_refused') {
    throw new ProviderError('cancelled', 'the person refused')
  }
  if (!equalsConstantTime(params.get('oauth_token') ?? '', token)) {
    throw new ProviderError('unknown', 'the callback is not for the request token of this session')
  }
  const verifier = params.get('oauth_verifier') ?? ''
  if (verifier === '') {
    const code = record.refusesWithoutVerifier === true ? 'cancelled' : 'unknown'
    throw new ProviderError(code, 'the callback has no verifier')
  }
  const url = new URL(resolveOAuth1Endpoint(call, record, 'token_url', record.accessTokenUrl))
  url.searchParams.set('oauth_verifier', verifier)
  const keys = { ...toOAuth1Keys(call), token, tokenSecret: secret }
  return readTokens(await sign(call, 'POST', url.href, keys, 'the token request'), 'the token request')
}

async function fetchProfile(call: ExchangeCall, profile: OAuth1Profile, access: AccessToken): Promise<JsonObject> {
  const url = new URL(resolveEndpoint(call.app, 'profile_url', profile.url))
  const emailParams = call.queryEmail ? Object.entries(profile.emailParams ?? {}) : []
  for (const [name, value] of emailParams) url.searchParams.set(name, value)
  if (profile.proof === 'key_and_token') {
    url.searchParams.set('key', call.app.key)
    url.searchParams.set('token', access.token)
    return readProfile(await askProvider(call.io, new Request(url), 'the profile call'), profile)
  }
  const keys = { ...toOAuth1Keys(call), token: access.token, tokenSecret: access.secret }
  if (profile.before !== undefined) {
    const { param, value } = profile.before
    const first = new URL(profile.before.url)
    const reply = await sign(call, 'GET', withFirstHost(first, url).href, keys, 'the call before the profile')
    const found = valueAt(expectReplyObject(reply, 'the call before the profile'), value)
    if (typeof found !== 'string') throw new ProviderError('unknown', 'the call before the profile did not tell an id')
    url.searchParams.set(param, found)
  }
  return readProfile(await sign(call, 'GET', url.href, keys, 'the profile call'), profile)
}

/** Returns the URL for the first call, at the address of the other, which an app may have changed. */
function withFirstHost(first: URL, other: URL): URL {
  const moved = new URL(other)
  moved.search = first.search
  return moved
}

function readProfile(reply: ProviderReply, profile: OAuth1Profile): JsonObject {
  const body = expectReplyObject(reply, 'the profile call')
  const found = valueAt(body, profile.root ?? '')
  if (isRecord(found)) return found
  throw new ProviderError('unknown', 'the reply to the profile call has no profile')
}

const toOAuth1Keys = (call: ExchangeCall): OAuth1Keys => ({ clientId: call.app.clientId, secret: call.app.secret })

const sign = (
  call: ExchangeCall,
  method: 'GET' | 'POST',
  url: string,
  keys: OAuth1Keys,
  what: string,
): Promise<ProviderReply> => askProvider(call.io, signRequest(call.io, method, url, keys), what)

/** Reads a form-encoded reply with a token. */
function readTokens(reply: ProviderReply, what: string): AccessToken {
  const members = new URLSearchParams(expectStatus(reply, what, [200, 201]).text.trim())
  const token = members.get('oauth_token') ?? ''
  if (token === '') throw new ProviderError('unknown', `${what} was answered without a token`)
  const secret = members.get('oauth_token_secret') ?? ''
  for (const name of ['oauth_token', 'oauth_token_secret']) members.delete(name)
  return { token, secret, rest: Object.fromEntries(members) }
}

function toOAuth1Tokens(record: OAuth1Record, access: AccessToken): ProviderTokens {
  const expires = record.expiresAtMsMember === undefined ? '' : String(access.rest[record.expiresAtMsMember])
  return {
    token: access.token,
    tokenSecret: access.secret,
    expiresAtMs: /^\d{1,15}$/.test(expires) ? Number(expires) : null,
  }
}

/** `X-Error-Code` if the user declined. */
const REFUSED = '158'

/**
 * Creates the exchange with Pocket: the steps of OAuth 1.0a with JSON bodies and without signatures. The request token
 * is named `code`. The callback has no parameters, so only the token in the session binds it.
 */
export function pocketExchange(record: OAuth1Record): Exchange {
  return {
    async begin(call, start) {
      const address = resolveEndpoint(call.app, 'request_token_url', record.requestTokenUrl)
      const reply = await post(call, address, { redirect_uri: call.redirectUri }, 'the request for a request token')
      const { code } = expectReplyObject(reply, 'the request for a request token')
      if (typeof code !== 'string' || code === '') throw new ProviderError('unknown', 'no request token was given')
      const url = new URL(resolveEndpoint(call.app, 'authorize_url', record.authorizeUrl))
      const params = resolveAuthParams(call.app, record.authorizeParams ?? {}, start)
      const all = { ...params, request_token: code, redirect_uri: call.redirectUri }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return { url: url.href, kept: { token: code } }
    },
    async finish(call, { kept }) {
      if (typeof kept['token'] !== 'string') throw new ProviderError('unknown', 'no request token is kept')
      const address = resolveEndpoint(call.app, 'token_url', record.accessTokenUrl)
      const reply = await post(call, address, { code: kept['token'] }, 'the token request')
      if (reply.headers.get('x-error-code') === REFUSED) throw new ProviderError('cancelled', 'the person refused')
      const { access_token: secret, ...profile } = expectReplyObject(reply, 'the token request')
      if (typeof secret !== 'string' || secret === '') {
        throw new ProviderError('unknown', 'the token request was answered without a token')
      }
      const tokens = { token: kept['token'], tokenSecret: secret, expiresAtMs: null }
      return {
        ...mapProfile(profile, record.person, readTextOption(call.app, 'uid_field')),
        extraData: profile,
        tokens,
      }
    },
  }
}

const post = (
  call: ExchangeCall,
  address: string,
  members: Readonly<Record<string, string>>,
  what: string,
): Promise<ProviderReply> => {
  const headers = { 'content-type': 'application/json; charset=UTF-8', 'x-accept': 'application/json' }
  const body = JSON.stringify({ consumer_key: call.app.clientId, ...members })
  return askProvider(call.io, new Request(address, { method: 'POST', headers, body }), what)
}

/** Signing keys: those of the app, and the token if there is one. */
export interface OAuth1Keys {
  readonly clientId: string
  readonly secret: string
  readonly token?: string
  readonly tokenSecret?: string
}

type Parameter = readonly [name: string, value: string]

/** Escapes all but unreserved characters. @see RFC 5849 section 3.6 */
export const percentEncodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const compareParameters = ([a, b]: Parameter, [c, d]: Parameter): number =>
  a === c ? Number(b > d) - Number(b < d) : a < c ? -1 : 1

/**
 * Returns the text to sign.
 * @param parameters Parameters of the header and form; those of the query come from `address`.
 * @see RFC 5849 section 3.4.1
 */
export function signatureBase(method: string, address: string, parameters: readonly Parameter[]): string {
  const url = new URL(address)
  const encoded = [...url.searchParams, ...parameters].map(
    ([name, value]): Parameter => [percentEncodeRfc3986(name), percentEncodeRfc3986(value)],
  )
  const joined = encoded.toSorted(compareParameters).map(([name, value]) => `${name}=${value}`)
  return [method.toUpperCase(), `${url.origin}${url.pathname}`, joined.join('&')].map(percentEncodeRfc3986).join('&')
}

/** Returns the HMAC-SHA1 signature in base64. @see RFC 5849 section 3.4.2 */
export const hmacSha1 = (base: string, secret: string, tokenSecret: string): string =>
  createHmac('sha1', `${percentEncodeRfc3986(secret)}&${percentEncodeRfc3986(tokenSecret)}`)
    .update(base)
    .digest('base64')

/** Returns a signed request with an `Authorization` header. @see RFC 5849 section 3.5.1 */
export function signRequest(
  io: Pick<ExchangeIo, 'clock' | 'random'>,
  method: 'GET' | 'POST',
  address: string,
  keys: OAuth1Keys,
): Request {
  const unsigned: readonly Parameter[] = [
    ['oauth_consumer_key', keys.clientId],
    ['oauth_nonce', randomText(io.random, ALPHANUMERIC, 32)],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(io.clock.now() / 1000))],
    ['oauth_version', '1.0'],
    ...(keys.token === undefined ? [] : [['oauth_token', keys.token] as const]),
  ]
  const signature = hmacSha1(signatureBase(method, address, unsigned), keys.secret, keys.tokenSecret ?? '')
  const signed: readonly Parameter[] = [...unsigned, ['oauth_signature', signature]]
  const header = signed
    .map(([name, value]) => `${percentEncodeRfc3986(name)}="${percentEncodeRfc3986(value)}"`)
    .join(', ')
  return new Request(address, { method, headers: { authorization: `OAuth ${header}`, accept: '*/*' } })
}
