import { createHmac } from 'node:crypto'
import { issueToken } from './oauth2-token.ts'
import { formReply, jsonReply, percentDecode, redirectReply, textReply } from './reply.ts'
import { ALL_SCOPES, type Call, type EmulatedPerson, type OAuth1Shape } from './shape.ts'
import { findClient, type EmulatedClient, faultAt, type RequestToken, secretText, type State } from './state.ts'
import { toShownSubject, withoutId } from './visible.ts'

const CLOCK_SLACK_SECONDS = 300

interface Signed {
  readonly client: EmulatedClient
  readonly parameters: ReadonlyMap<string, string>
}

const unauthorized = (text: string): Response =>
  new Response(text, { status: 401, headers: { 'content-type': 'text/plain', 'www-authenticate': 'OAuth realm=""' } })

/** Checks the signature of a request, with the secret of the token it names. RFC 5849, section 3.2 */
function verifySigned(state: State, call: Call, findSecret: (token: string) => string | null): Signed | Response {
  const parameters = readAuthorization(call.headers.get('authorization'))
  if (parameters === null) return unauthorized("The request isn't signed.")
  const client = findClient(state, call.provider, parameters.get('oauth_consumer_key') ?? null)
  if (client === null) return unauthorized('The consumer is not known here.')
  if (parameters.get('oauth_signature_method') !== 'HMAC-SHA1') return unauthorized('Only HMAC-SHA1 is taken.')
  if ((parameters.get('oauth_version') ?? '1.0') !== '1.0') return unauthorized('Only version 1.0 is taken.')
  const stamp = parameters.get('oauth_timestamp') ?? ''
  if (!/^\d+$/.test(stamp) || Math.abs(Number(stamp) - state.io.now() / 1000) > CLOCK_SLACK_SECONDS) {
    return unauthorized('The time stamp is out of bounds.')
  }
  const secret = findSecret(parameters.get('oauth_token') ?? '')
  if (secret === null) return unauthorized('The token is not known here.')
  const form = call.isJson ? [] : [...call.form]
  const base = signatureBase(call.method, call.sentTo, [...parameters, ...form])
  if (signBase(base, client.secret, secret) !== parameters.get('oauth_signature'))
    return unauthorized('The signature is wrong.')
  const nonce = `${client.clientId} ${stamp} ${parameters.get('oauth_nonce') ?? ''}`
  if (!parameters.get('oauth_nonce') || state.nonces.has(nonce)) return unauthorized('The nonce was used.')
  state.nonces.add(nonce)
  return { client, parameters }
}

/** Handles the request token endpoint. RFC 5849, section 2.1 */
export function answerRequestToken(state: State, call: Call): Response {
  if (call.method !== 'POST') return textReply(405, 'POST')
  const signed = verifySigned(state, call, (token) => (token === '' ? '' : null))
  if (signed instanceof Response) return signed
  const sent = [
    signed.parameters.get('oauth_callback'),
    call.url.searchParams.get('oauth_callback'),
    call.form.get('oauth_callback'),
  ]
  const callback = sent.find((each) => each !== undefined && each !== null) ?? ''
  if (!signed.client.redirectUris.includes(callback))
    return unauthorized('The callback is not registered for this consumer.')
  const token = secretText(state)
  const secret = secretText(state, 24)
  const { clientId } = signed.client
  state.requestTokens.set(token, { provider: call.provider, clientId, secret, callback, verifier: null, person: null })
  if (faultAt(state, call.provider, 'request_token') === 'no_token')
    return formReply(200, { oauth_callback_confirmed: true })
  return formReply(200, { oauth_token: token, oauth_token_secret: secret, oauth_callback_confirmed: true })
}

/** Returns the request token to authorize, or the error. */
export function checkRequestToken(state: State, shape: OAuth1Shape, call: Call): RequestToken | Response {
  const token = state.requestTokens.get(call.url.searchParams.get('oauth_token') ?? '')
  if (token?.provider !== call.provider || token.verifier !== null) return textReply(401, 'Unknown request token.')
  const wanted = Object.entries(shape.authorizeParams ?? {})
  const missing = wanted.some(([name, value]) =>
    value === '' ? !call.url.searchParams.has(name) : call.url.searchParams.get(name) !== value,
  )
  return missing ? textReply(400, 'A parameter is missing.') : token
}

/** Completes the authorization; a refusal is reported like X does. RFC 5849, section 2.2 */
export function settleRequestToken(
  state: State,
  call: Call,
  token: RequestToken,
  person: EmulatedPerson | null,
): Response {
  const name = call.url.searchParams.get('oauth_token')
  if (person === null) return redirectReply(token.callback, { denied: name })
  token.verifier = secretText(state)
  token.person = person
  return redirectReply(token.callback, { oauth_token: name, oauth_verifier: token.verifier })
}

/** Handles the access token endpoint. RFC 5849, section 2.3 */
export function answerAccessToken(state: State, shape: OAuth1Shape, call: Call): Response {
  if (call.method !== 'POST') return textReply(405, 'POST')
  const signed = verifySigned(state, call, (token) => state.requestTokens.get(token)?.secret ?? null)
  if (signed instanceof Response) return signed
  const name = signed.parameters.get('oauth_token') ?? ''
  const token = state.requestTokens.get(name)
  const verifier =
    signed.parameters.get('oauth_verifier') ??
    call.url.searchParams.get('oauth_verifier') ??
    call.form.get('oauth_verifier')
  if (token?.provider !== call.provider || token.clientId !== signed.client.clientId)
    return unauthorized('The token is not known here.')
  if (token.person === null || token.verifier !== verifier) return unauthorized('The verifier is wrong.')
  state.requestTokens.delete(name)
  const secret = secretText(state, 24)
  const grant = {
    provider: call.provider,
    clientId: token.clientId,
    person: token.person,
    scopes: [ALL_SCOPES],
    nonce: null,
    asked: {},
  }
  const issued = issueToken(state, grant, shape.tokenReply === undefined ? secret : '')
  const who = toShownSubject(state, shape, call, grant)
  const more = withoutId(shape.tokenReply?.(who, state.io.now()) ?? { oauth_token_secret: secret })
  const hidden = faultAt(state, call.provider, 'token') === 'no_token'
  return formReply(200, { ...(hidden ? {} : { oauth_token: issued }), ...more })
}

/** Handles the profile, signed with the access token. */
export function answerSignedProfile(state: State, shape: OAuth1Shape, call: Call): Response {
  if (call.method !== 'GET') return textReply(405, 'GET')
  const byKey = shape.profileBy === 'key'
  const query = call.url.searchParams
  const signed = byKey ? null : verifySigned(state, call, (token) => state.tokens.get(token)?.secret ?? null)
  if (signed instanceof Response) return signed
  const token = state.tokens.get((byKey ? query.get('token') : signed?.parameters.get('oauth_token')) ?? '')
  if (token?.grant.provider !== call.provider || state.io.now() >= token.expiresAtMs)
    return unauthorized('The token is not known here.')
  const client = findClient(state, call.provider, token.grant.clientId)
  if (byKey ? query.get('key') !== client?.key : signed?.client.clientId !== client?.clientId)
    return unauthorized('The key is wrong.')
  const who = toShownSubject(state, shape, call, token.grant)
  const make = call.address === shape.secondProfile ? shape.secondProfileReply : shape.profileReply
  return jsonReply(200, withoutId(make?.(who, call, token.grant)))
}

/** Percent-encodes a text. RFC 5849, section 3.6 */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Parses an `Authorization: OAuth` header, without `realm`, or returns `null`. RFC 5849, section 3.5.1 */
export function readAuthorization(header: string | null): ReadonlyMap<string, string> | null {
  const rest = /^OAuth\s+(.*)$/is.exec(header ?? '')?.[1]
  if (rest === undefined) return null
  const found = [...rest.matchAll(/([\w%.~-]+)\s*=\s*"([^"]*)"/g)]
  const pairs = found.map(([, name = '', value = '']): [string, string] => [percentDecode(name), percentDecode(value)])
  return new Map(pairs.filter(([name]) => name !== 'realm'))
}

/** Returns the text to sign. RFC 5849, section 3.4.1 */
export function signatureBase(
  method: string,
  address: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const url = new URL(address)
  const encoded = [...url.searchParams, ...parameters]
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]): [string, string] => [percentEncode(name), percentEncode(value)])
    .toSorted(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))
  const normal = encoded.map(([name, value]) => `${name}=${value}`).join('&')
  return [method.toUpperCase(), `${url.origin}${url.pathname}`, normal].map(percentEncode).join('&')
}

/** Returns the signature, HMAC-SHA1 in base64. RFC 5849, section 3.4.2 */
export const signBase = (base: string, clientSecret: string, tokenSecret: string): string =>
  createHmac('sha1', `${percentEncode(clientSecret)}&${percentEncode(tokenSecret)}`)
    .update(base)
    .digest('base64')
