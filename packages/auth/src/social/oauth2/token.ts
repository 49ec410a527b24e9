import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { readAppOption } from '../apps/app-options.ts'
import { type ExchangeCall, ProviderError, type ProviderTokens } from '../exchange.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import {
  askProvider,
  expectStatus,
  parseForeignJson,
  parseReplyObject,
  type ProviderReply,
} from '../wire/provider-reply.ts'
import { endpoint, type Kept, resolveRedirectUri } from './begin.ts'
import { primaryClientId, type RecordValues } from './values.ts'
import type { OAuth2Record, ParameterNames } from './record.ts'

/** Input of `exchangeCode`. */
interface CodeGrant {
  readonly record: OAuth2Record
  readonly call: ExchangeCall
  readonly kept: Kept
  readonly values: RecordValues
  readonly callback: URLSearchParams
  /** The authorization code. */
  readonly code: string
}

/** The object in the reply that has the tokens, and the tokens. */
interface Granted {
  readonly reply: JsonObject
  readonly tokens: ProviderTokens
}

const WHAT = 'the token request'

/** Longest plausible life of a token: ten years, in seconds. */
const MAX_LIFE_SECONDS = 10 * 365 * 86_400

/**
 * Exchanges a code: RFC 6749 section 4.1.3, with whatever differs at this provider.
 * @throws {ProviderError} `unknown`; never with the reply
 */
export async function exchangeCode(grant: CodeGrant): Promise<Granted> {
  const tokenUrl = grant.values.address(endpoint(grant.record, grant.call, 'token') ?? '')
  const { verifier } = grant.kept
  // The library supports only https with PKCE.
  const conforms = grant.record.conforms === true && verifier !== undefined && tokenUrl.startsWith('https:')
  const reply = conforms
    ? await exchangeWithLibrary(grant, tokenUrl, verifier)
    : await exchangeDirectly(grant, tokenUrl)
  return parseGrantedTokens(grant.record, grant.call, reply)
}

/** Returns the tokens of a reply. @throws {ProviderError} `unknown` without an access token */
export function parseGrantedTokens(record: OAuth2Record, call: ExchangeCall, whole: unknown): Granted {
  const reply = valueAt(whole, record.tokenReply?.root ?? '')
  const keys = {
    access_token: 'access_token',
    refresh_token: 'refresh_token',
    expires_in: 'expires_in',
    ...record.tokenReply?.keys,
  }
  const token = textAt(reply, keys.access_token)
  if (!isRecord(reply) || token === '') {
    throw new ProviderError('unknown', `${WHAT} was answered without a token${formatErrorCode(whole)}`)
  }
  const seconds = Number(textAt(reply, keys.expires_in))
  const known = seconds > 0 && seconds <= MAX_LIFE_SECONDS
  const expiresAtMs = known ? call.io.clock.now() + Math.floor(seconds) * 1000 : null
  return { reply, tokens: { token, tokenSecret: textAt(reply, keys.refresh_token), expiresAtMs } }
}

async function exchangeWithLibrary(grant: CodeGrant, tokenUrl: string, verifier: string): Promise<unknown> {
  const { record, call, callback } = grant
  const { conformingTokenReply } = await import('./conforming.ts')
  return conformingTokenReply(call, {
    tokenUrl,
    clientId: primaryClientId(call.app),
    secret: call.app.secret,
    basic: record.clientAuth === 'basic',
    redirectUri: resolveRedirectUri(record, call),
    verifier,
    callback,
  })
}

async function exchangeDirectly(grant: CodeGrant, tokenUrl: string): Promise<unknown> {
  const { record, call } = grant
  const { method = 'POST', body } = record.tokenRequest ?? {}
  const params = await tokenParams(grant)
  const basic = record.clientAuth === 'basic'
  const request = apiRequest(
    call,
    {
      method,
      url: tokenUrl,
      ...(method === 'GET' ? { query: params } : body === 'json' ? { json: params } : { form: params }),
      ...(basic && { headers: { authorization: basicAuthorization(call) } }),
    },
    WHAT,
  )
  const reply = await askProvider(call.io, request, WHAT)
  if (reply.status !== 200 && reply.status !== 201) {
    throw new ProviderError(
      'unknown',
      `${WHAT} was answered with status ${reply.status}${formatErrorCode(parseForeignJson(reply.text))}`,
    )
  }
  return readReply(reply)
}

/** Parses a reply as JSON, whatever its content type, or else as a form. */
function readReply(reply: ProviderReply): unknown {
  const isJson = reply.contentType === 'application/json' || reply.text.trimStart().startsWith('{')
  return isJson ? parseReplyObject(reply, WHAT) : Object.fromEntries(new URLSearchParams(reply.text.trim()))
}

/** Returns the Basic credentials, form-encoded first. @see RFC 6749 section 2.3.1 */
function basicAuthorization({ app }: ExchangeCall): string {
  const encoded = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length)
  return `Basic ${Buffer.from(`${encoded(primaryClientId(app))}:${encoded(app.secret)}`).toString('base64')}`
}

async function tokenParams(grant: CodeGrant): Promise<Readonly<Record<string, string>>> {
  const { record, call, kept, values, callback, code } = grant
  const request = record.tokenRequest ?? {}
  const passedOn = (request.fromCallback ?? []).map((name) => [name, callback.get(name) ?? ''] as const)
  const fixed = Object.entries(request.params ?? {}).map(([name, value]) => [name, values.text(value)] as const)
  const credentials = record.clientAuth === 'basic' ? {} : await buildClientCredentials(grant)
  const params = {
    ...credentials,
    ...renameParams(request.names, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: resolveRedirectUri(record, call),
    }),
    ...Object.fromEntries([...fixed, ...passedOn]),
    ...(kept.verifier !== undefined && { code_verifier: kept.verifier }),
    ...(request.freshState === true && { state: call.io.random(24).toString('base64url') }),
  }
  return omitEmptyParams(params)
}

async function buildClientCredentials(grant: CodeGrant): Promise<Readonly<Record<string, string>>> {
  const { record, call } = grant
  const { names, appToken } = record.tokenRequest ?? {}
  const client_id = primaryClientId(call.app)
  if (record.clientAuth === 'apple') {
    const { appleClientSecret } = await import('./apple-secret.ts')
    return renameParams(names, { client_id, client_secret: await appleClientSecret(call) })
  }
  const credentials = { client_id, client_secret: call.app.secret }
  if (appToken === undefined) return renameParams(names, credentials)
  const form = omitEmptyParams(renameParams(appToken.names, credentials))
  const request = apiRequest(call, { method: 'POST', url: grant.values.address(appToken.url), form }, WHAT)
  const reply = parseReplyObject(expectStatus(await askProvider(call.io, request, WHAT), WHAT), WHAT)
  const token = textAt(reply, appToken.key)
  if (token === '') throw new ProviderError('unknown', `${WHAT}: there is no token of the app`)
  return { [appToken.key]: token }
}

function renameParams(
  names: ParameterNames | undefined,
  params: Readonly<Partial<Record<keyof ParameterNames, string>>>,
): Readonly<Record<string, string>> {
  const renamed = Object.entries(params).map(([name, value]) => {
    const other = Object.entries(names ?? {}).find(([own]) => own === name)
    return [other === undefined ? name : other[1], value] as const
  })
  return Object.fromEntries(renamed.filter((entry): entry is readonly [string, string] => entry[0] !== null))
}

const omitEmptyParams = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''))

/** Returns the error code of a reply, e.g. ` (invalid_grant)`. No other part of a reply appears in a message. */
function formatErrorCode(reply: unknown): string {
  const code = textAt(reply, 'error', 'error.code', 'error.type')
  return /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
}

/** Default user agent; some providers refuse requests without one. The option `user_agent` replaces it. */
const USER_AGENT = 'gatepost'

/** Parts of a request to a provider. */
interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** Returns a request for JSON with our user agent. @throws {ProviderError} `unknown` for an invalid header or URL */
export function apiRequest(call: ExchangeCall, parts: ApiRequest, what: string): Request {
  const agent = readAppOption(call.app, 'user_agent')
  const url = URL.parse(parts.url)
  if (url === null) throw new ProviderError('unknown', `${what} has no address`)
  // Appended as text: `url.searchParams` would re-encode the rest of the query.
  const query = new URLSearchParams(parts.query).toString()
  if (query !== '') url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&')
  const body = parts.json === undefined ? parts.form && new URLSearchParams(parts.form) : JSON.stringify(parts.json)
  const made = attempt(
    () =>
      new Request(url, {
        method: parts.method,
        headers: {
          accept: 'application/json',
          'user-agent': typeof agent === 'string' && agent !== '' ? agent : USER_AGENT,
          ...(parts.json !== undefined && { 'content-type': 'application/json' }),
          ...parts.headers,
        },
        redirect: 'manual',
        ...(body !== undefined && { body }),
      }),
  )
  if (made === null) throw new ProviderError('unknown', `${what} cannot be made: a value is no header`)
  return made
}

/** Returns `null` if `make` throws, because the error would contain the token. */
function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
