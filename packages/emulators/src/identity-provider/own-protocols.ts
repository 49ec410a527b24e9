import { createHash, createHmac } from 'node:crypto'
import { jsonReply, redirectReply, textReply } from './reply.ts'
import { ALL_SCOPES, type Call, type EmulatedPerson, type Grant, type OwnShape } from './shape.ts'
import { findClient, type EmulatedClient, faultAt, secretText, type State } from './state.ts'
import { toShownSubject, withoutId } from './visible.ts'

const CODE_LIFE_MS = 60_000
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const createGrant = (call: Call, clientId: string, person: EmulatedPerson): Grant => ({
  provider: call.provider,
  clientId,
  person,
  scopes: [ALL_SCOPES],
  nonce: null,
  asked: {},
})

const parseOrigin = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

/** Whether Telegram's page can redirect there. Origins can end with a slash, as real clients send them. */
const isReturnAllowed = (client: EmulatedClient, origin: string, target: string): boolean =>
  parseOrigin(target) !== null &&
  parseOrigin(target) === parseOrigin(origin) &&
  client.redirectUris.some((uri) => parseOrigin(uri) === parseOrigin(origin))

/** Checks a login request of Telegram. @see Telegram, "Telegram Login Widget" */
export function checkTelegram(state: State, call: Call): EmulatedClient | Response {
  const query = call.url.searchParams
  const client = findClient(state, call.provider, query.get('bot_id'))
  if (client === null) return textReply(400, 'Bot domain invalid')
  return isReturnAllowed(client, query.get('origin') ?? '', query.get('return_to') ?? '')
    ? client
    : textReply(400, 'Bot domain invalid')
}

/** Redirects with the person in the fragment, signed with the bot's token. */
export function settleTelegram(
  state: State,
  shape: OwnShape,
  call: Call,
  client: EmulatedClient,
  person: EmulatedPerson | null,
): Response {
  const target = new URL(call.url.searchParams.get('return_to') ?? '')
  if (person === null) {
    target.hash = 'tgAuthResult=false'
    return new Response(null, { status: 302, headers: { location: target.href } })
  }
  const who = toShownSubject(state, shape, call, createGrant(call, client.clientId, person))
  const fault = faultAt(state, call.provider, 'authorize')
  const age = fault === 'expired' ? 86_400 : 0
  const seen = shape.profileReply?.(who, call, createGrant(call, client.clientId, person)) ?? {}
  const data: Record<string, unknown> = withoutId({ ...seen, auth_date: Math.floor(state.io.now() / 1000) - age })
  const lines = Object.entries(data).map(([name, value]) => `${name}=${String(value)}`)
  const key = createHash('sha256')
    .update(fault === 'bad_signature' ? 'another token' : client.secret)
    .digest()
  const hash = createHmac('sha256', key).update(lines.toSorted().join('\n')).digest('hex')
  target.hash = `tgAuthResult=${Buffer.from(JSON.stringify({ ...data, hash })).toString('base64url')}`
  return new Response(null, { status: 302, headers: { location: target.href } })
}

/** Checks a login request of Draugiem. @see Draugiem.lv API, "Passport" */
export function checkDraugiem(state: State, call: Call): EmulatedClient | Response {
  const query = call.url.searchParams
  const client = findClient(state, call.provider, query.get('app'))
  const redirect = query.get('redirect') ?? ''
  if (client === null || query.get('hash') !== md5(`${client.secret}${redirect}`)) return textReply(400, 'Wrong hash')
  const [address = ''] = redirect.split('?', 1) // the query belongs to the site
  return client.redirectUris.includes(address) ? client : textReply(400, 'Wrong redirect')
}

/** Redirects with a code or an error. */
export function settleDraugiem(
  state: State,
  call: Call,
  client: EmulatedClient,
  person: EmulatedPerson | null,
): Response {
  const redirect = call.url.searchParams.get('redirect') ?? ''
  if (person === null) return redirectReply(redirect, { dr_auth_status: 'failed' })
  const code = secretText(state)
  const expiresAtMs = state.io.now() + CODE_LIFE_MS
  const grant = createGrant(call, client.clientId, person)
  state.codes.set(code, { grant, redirectUri: redirect, challenge: null, challengeMethod: 'plain', expiresAtMs })
  return redirectReply(redirect, { dr_auth_status: 'ok', dr_auth_code: code })
}

/** Exchanges a code for the person and a key. */
export function answerDraugiemToken(state: State, shape: OwnShape, call: Call): Response {
  const query = call.url.searchParams
  const code = query.get('code') ?? ''
  const issued = state.codes.get(code)
  const client = issued === undefined ? null : findClient(state, call.provider, issued.grant.clientId)
  const fits = query.get('action') === 'authorize' && client !== null && query.get('app') === client.secret
  if (
    issued === undefined ||
    !fits ||
    issued.grant.provider !== call.provider ||
    state.io.now() >= issued.expiresAtMs
  ) {
    return jsonReply(200, { error: { code: 100, description: 'Not valid code' } })
  }
  state.codes.delete(code)
  const who = toShownSubject(state, shape, call, issued.grant)
  const key = faultAt(state, call.provider, 'token') === 'no_token' ? {} : { apikey: secretText(state) }
  const seen = shape.profileReply?.(who, call, issued.grant) ?? {}
  return jsonReply(200, withoutId({ ...key, ...seen }))
}

const pocketFailure = (code: string, text: string): Response =>
  new Response('403 Forbidden', { status: 403, headers: { 'x-error-code': code, 'x-error': text } })

/** Handles a request token of Pocket. @see Pocket Developer Program, "Pocket Authentication API" */
export function answerPocketRequest(state: State, call: Call): Response {
  const client = findClient(state, call.provider, call.form.get('consumer_key'))
  const callback = call.form.get('redirect_uri') ?? ''
  if (call.method !== 'POST' || !call.isJson || client === null) return pocketFailure('152', 'Invalid consumer key.')
  if (!client.redirectUris.includes(callback)) return pocketFailure('140', 'Invalid redirect uri.')
  const code = secretText(state)
  const { clientId } = client
  state.requestTokens.set(code, {
    provider: call.provider,
    clientId,
    secret: '',
    callback,
    verifier: null,
    person: null,
  })
  return jsonReply(
    200,
    faultAt(state, call.provider, 'request_token') === 'no_token' ? { state: null } : { code, state: null },
  )
}

/** Completes the authorization of a request token. Redirects even when the person declined. */
export function settlePocket(state: State, call: Call, person: EmulatedPerson | null): Response {
  const query = call.url.searchParams
  const token = state.requestTokens.get(query.get('request_token') ?? '')
  if (token?.provider !== call.provider || query.get('redirect_uri') !== token.callback) {
    return textReply(400, 'Unknown request token.')
  }
  token.person = person
  return redirectReply(token.callback, {})
}

/** Exchanges an authorized request token for an access token. */
export function answerPocketToken(state: State, shape: OwnShape, call: Call): Response {
  const code = call.form.get('code') ?? ''
  const token = state.requestTokens.get(code)
  if (call.method !== 'POST' || !call.isJson || token?.provider !== call.provider)
    return pocketFailure('181', 'Invalid code.')
  if (call.form.get('consumer_key') !== token.clientId) return pocketFailure('152', 'Invalid consumer key.')
  if (token.person === null) return pocketFailure('158', 'User rejected code.')
  state.requestTokens.delete(code)
  const grant = createGrant(call, token.clientId, token.person)
  const who = toShownSubject(state, shape, call, grant)
  const key = faultAt(state, call.provider, 'token') === 'no_token' ? {} : { access_token: secretText(state) }
  const seen = shape.profileReply?.(who, call, grant) ?? {}
  return jsonReply(200, withoutId({ ...key, ...seen }))
}
