import { createHash, verify } from 'node:crypto'
import { isRecord, parseJson } from '../kit/http.ts'
import { signIdTokenFor } from './id-token.ts'
import { formReply, jsonReply, percentDecode } from './reply.ts'
import { type Call, type Grant, type Members, NO_ID, type OAuth2Shape } from './shape.ts'
import { findClient, type EmulatedClient, faultAt, type IssuedCode, secretText, type State } from './state.ts'
import { toShownSubject, withoutId } from './visible.ts'

/** Lifetime of access tokens, in seconds. */
export const TOKEN_LIFE_SECONDS = 3600

/** Returns a reply in the format of the provider or requested by the client. */
function reply(shape: OAuth2Shape, call: Call, status: number, members: Members): Response {
  const asksJson = (call.headers.get('accept') ?? '').includes('json')
  const isForm = shape.tokenForm === 'always' || (shape.tokenForm === 'unless_json' && !asksJson)
  return isForm ? formReply(status, members) : jsonReply(status, members, shape.tokenType)
}

/** Returns an error of the token endpoint. RFC 6749, section 5.2 */
export function tokenError(shape: OAuth2Shape, call: Call, code: string): Response {
  const [status, members] = shape.tokenError?.(code) ?? [
    code === 'invalid_client' ? 401 : 400,
    { error: code, error_description: 'The request was refused.' },
  ]
  return reply(shape, call, status, members)
}

/** Parses HTTP Basic credentials, each form-encoded. RFC 6749, section 2.3.1 */
function basicCredentials(header: string | null): readonly [string, string] | null {
  const encoded = /^Basic ([A-Za-z\d+/=]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  const decode = (text: string): string => percentDecode(text.replaceAll('+', ' '))
  return [decode(id), decode(secret.join(':'))]
}

/** Returns the app with this id and secret in the body, for app tokens, or `null`. */
export function authenticateApp(state: State, call: Call, idName: string, secretName: string): EmulatedClient | null {
  const sent = call.method === 'GET' ? call.url.searchParams : call.form
  const client = findClient(state, call.provider, sent.get(idName))
  return client !== null && client.secret === sent.get(secretName) ? client : null
}

/** Returns the client, authenticated in the provider's only accepted way, or `null`. */
function authenticate(state: State, shape: OAuth2Shape, call: Call, sent: URLSearchParams): EmulatedClient | null {
  const name = (standard: 'client_id' | 'client_secret'): string => shape.tokenNames?.[standard] ?? standard
  const basic = basicCredentials(call.headers.get('authorization'))
  const inBody = sent.has(name('client_secret'))
  const way = shape.tokenAuth ?? 'post'
  if (way === 'app_access_token') {
    const token = state.tokens.get(sent.get('app_access_token') ?? '')
    return token?.use === 'app' && token.grant.provider === call.provider
      ? findClient(state, call.provider, token.grant.clientId)
      : null
  }
  if (basic !== null && way !== 'post' && way !== 'apple' && !inBody) {
    const client = findClient(state, call.provider, basic[0])
    return client?.secret === basic[1] && client.tokenAuth !== 'post' ? client : null
  }
  if (way === 'basic' || basic !== null) return null
  const client = findClient(state, call.provider, sent.get(name('client_id')))
  const secret = sent.get(name('client_secret'))
  if (client === null || client.tokenAuth === 'basic') return null
  if (way === 'apple') return checkAppleSecret(client, secret ?? '', state.io.now()) ? client : null
  return client.secret === (secret ?? '') ? client : null
}

function isVerifierValid(code: IssuedCode, verifier: string | null): boolean {
  if (code.challenge === null) return true
  if (verifier === null) return false
  const made = code.challengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  return made === code.challenge
}

/** Redeems a code, which is used up even on errors. RFC 6749, section 4.1.3 */
function redeem(
  state: State,
  shape: OAuth2Shape,
  client: EmulatedClient,
  call: Call,
  sent: URLSearchParams,
): Grant | string {
  const names = shape.tokenNames ?? {}
  const given = sent.get(names.code ?? 'code') ?? ''
  const code = state.codes.get(given)
  if (code === undefined || code.grant.provider !== call.provider) return 'invalid_grant'
  if (code.grant.clientId !== client.clientId) return 'invalid_grant'
  state.codes.delete(given)
  if (state.io.now() >= code.expiresAtMs) return 'invalid_grant'
  const redirectUri = sent.get(names.redirect_uri ?? 'redirect_uri')
  const mayMissRedirect = names.redirect_uri === null || code.redirectUri === null
  if (redirectUri === null ? !mayMissRedirect : redirectUri !== (code.redirectUri ?? redirectUri))
    return 'invalid_grant'
  return isVerifierValid(code, sent.get('code_verifier')) ? code.grant : 'invalid_grant'
}

/** Issues an access token for a grant. */
export function issueToken(state: State, grant: Grant, secret = ''): string {
  const token = secretText(state, 24)
  state.tokens.set(token, { grant, secret, use: 'access', expiresAtMs: state.io.now() + TOKEN_LIFE_SECONDS * 1000 })
  return token
}

function replyMembers(state: State, shape: OAuth2Shape, call: Call, grant: Grant): Members {
  const fault = faultAt(state, call.provider, 'token')
  const token = fault === 'no_token' ? NO_ID : issueToken(state, grant)
  const issues =
    fault !== 'no_id_token' &&
    (shape.idToken === 'always' || (shape.idToken === 'openid' && grant.scopes.includes('openid')))
  const idToken = issues ? signIdTokenFor(state, shape, call, grant, token, fault) : NO_ID
  if (issues) state.tokens.set(idToken, { grant, secret: '', use: 'id', expiresAtMs: Number.POSITIVE_INFINITY })
  const standard: Members = {
    access_token: token,
    token_type: 'Bearer',
    expires_in: TOKEN_LIFE_SECONDS,
    refresh_token: secretText(state, 24),
    scope: grant.scopes.join(' '),
    id_token: idToken,
  }
  return withoutId(shape.tokenReply?.(standard, toShownSubject(state, shape, call, grant), call, grant) ?? standard)
}

/** Handles the token endpoint: exchanges a code for an access token. */
export function answerToken(state: State, shape: OAuth2Shape, call: Call): Response {
  const byGet = shape.tokenMethod === 'GET'
  if (call.method !== (shape.tokenMethodAt?.(call) ?? (byGet ? 'GET' : 'POST')))
    return jsonReply(405, { error: 'method_not_allowed' })
  if (!byGet && call.isJson !== (shape.tokenBody === 'json')) return tokenError(shape, call, 'invalid_request')
  const sent = byGet ? call.url.searchParams : call.form
  const client = authenticate(state, shape, call, sent)
  if (client === null) return tokenError(shape, call, 'invalid_client')
  const grantType = shape.tokenNames?.grant_type === undefined ? 'grant_type' : shape.tokenNames.grant_type
  if (grantType !== null && sent.get(grantType) !== 'authorization_code')
    return tokenError(shape, call, 'unsupported_grant_type')
  if (shape.tokenParams?.some((name) => !sent.has(name))) return tokenError(shape, call, 'invalid_request')
  const grant = redeem(state, shape, client, call, sent)
  if (typeof grant === 'string') return tokenError(shape, call, grant)
  return reply(shape, call, 200, replyMembers(state, shape, call, grant))
}

const read = (part: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  return isRecord(value) ? value : {}
}

/**
 * Whether a client secret is a JWT as Apple requires: of the team, ES256, for the client, valid for at most six months.
 * @see Apple Developer, "Creating a client secret"
 */
function checkAppleSecret(client: EmulatedClient, secret: string, nowMs: number): boolean {
  const [header = '', payload = '', signature = ''] = secret.split('.')
  const { alg, kid } = read(header)
  const { iss, sub, aud, exp, iat } = read(payload)
  if (alg !== 'ES256' || kid !== client.secret || iss !== client.key || sub !== client.clientId) return false
  if (aud !== 'https://appleid.apple.com' || typeof exp !== 'number' || typeof iat !== 'number') return false
  const now = nowMs / 1000
  if (exp <= now || exp > now + 15_777_000 || iat > now + 60 || client.publicKey === undefined) return false
  const key = { key: client.publicKey, dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
}
