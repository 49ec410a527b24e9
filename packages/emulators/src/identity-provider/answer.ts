import { keyCertificates, keySet, findIssuer } from './id-token.ts'
import {
  answerAccessToken,
  answerRequestToken,
  answerSignedProfile,
  checkRequestToken,
  settleRequestToken,
} from './oauth1.ts'
import { allowAuthorize, checkAuthorize, refuseAuthorize } from './oauth2-authorize.ts'
import { answerProfile } from './oauth2-profile.ts'
import { answerToken, authenticateApp, issueToken, TOKEN_LIFE_SECONDS } from './oauth2-token.ts'
import { answerOpenid, settleOpenid } from './openid2.ts'
import {
  answerDraugiemToken,
  answerPocketRequest,
  answerPocketToken,
  checkDraugiem,
  checkTelegram,
  settleDraugiem,
  settlePocket,
  settleTelegram,
} from './own-protocols.ts'
import { jsonReply } from './reply.ts'
import type { Call, EmulatedPerson, OAuth1Shape, OAuth2Shape, OwnShape, Shape, Grant } from './shape.ts'
import { faultAt, secretText, type State } from './state.ts'

/** Asks a person at a provider's page. Resolves to the person, `null` when they decline, or a page. */
export type Ask = (call: Call) => Promise<EmulatedPerson | null | Response>

/** Returns all client authentication methods that some client uses. */
function authMethods(state: State, shape: OAuth2Shape, provider: string): readonly string[] {
  if (shape.tokenAuth !== 'either') return [`client_secret_${shape.tokenAuth ?? 'post'}`]
  const clients = [...(state.clients.get(provider)?.values() ?? [])]
  const only = clients.every(({ tokenAuth }) => tokenAuth === clients[0]?.tokenAuth) ? clients[0]?.tokenAuth : undefined
  return only === undefined ? ['client_secret_basic', 'client_secret_post'] : [`client_secret_${only}`]
}

/** Returns the discovery document. OpenID Connect Discovery 1.0, section 3 */
function toDiscoveryDocument(state: State, shape: OAuth2Shape, call: Call): Response {
  const at = (real: string): string => call.at(real)
  const isOther = faultAt(state, call.provider, 'discovery') === 'wrong_issuer'
  return jsonReply(200, {
    issuer: isOther ? 'https://another-issuer.example' : findIssuer(shape, at),
    authorization_endpoint: at(shape.authorize),
    token_endpoint: at(shape.token),
    userinfo_endpoint: at(shape.profile ?? ''),
    jwks_uri: at(shape.jwks ?? ''),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'profile', 'email'],
    token_endpoint_auth_methods_supported: authMethods(state, shape, call.provider),
    code_challenge_methods_supported: ['S256'],
  })
}

/** Returns the keys of a provider, in its format; a fault changes their id. */
function toKeysReply(state: State, shape: OAuth2Shape, call: Call): Response {
  const isOther = faultAt(state, call.provider, 'jwks') === 'unknown_key'
  return jsonReply(200, shape.jwksForm === 'pem' ? keyCertificates(isOther) : keySet(isOther))
}

async function answerOAuth2(state: State, shape: OAuth2Shape, call: Call, ask: Ask): Promise<Response> {
  if (call.kind === 'authorize') {
    const asked = checkAuthorize(state, shape, call)
    if (asked instanceof Response) return asked
    const person = await ask(call)
    if (person instanceof Response) return person
    if (faultAt(state, call.provider, 'authorize') === 'error')
      return refuseAuthorize(shape, call, asked, 'server_error')
    return person === null ? refuseAuthorize(shape, call, asked) : allowAuthorize(state, shape, call, asked, person)
  }
  if (call.kind === 'token')
    return (shape.debugToken && answerFacebookToken(state, call)) || answerToken(state, shape, call)
  if (call.kind === 'debug_token') return answerDebugToken(state, call)
  if (call.kind === 'app_token') return answerAppToken(state, call)
  if (call.kind === 'jwks') return toKeysReply(state, shape, call)
  if (call.kind === 'discovery') return toDiscoveryDocument(state, shape, call)
  return answerProfile(state, shape, call)
}

async function answerOAuth1(state: State, shape: OAuth1Shape, call: Call, ask: Ask): Promise<Response> {
  if (call.kind === 'request_token') return answerRequestToken(state, call)
  if (call.kind === 'token') return answerAccessToken(state, shape, call)
  if (call.kind !== 'authorize') return answerSignedProfile(state, shape, call)
  const token = checkRequestToken(state, shape, call)
  if (token instanceof Response) return token
  const person = await ask(call)
  return person instanceof Response ? person : settleRequestToken(state, call, token, person)
}

async function answerOwn(state: State, shape: OwnShape, call: Call, ask: Ask): Promise<Response> {
  if (call.kind === 'request_token') return answerPocketRequest(state, call)
  if (call.kind === 'token') {
    return shape.protocol === 'pocket' ? answerPocketToken(state, shape, call) : answerDraugiemToken(state, shape, call)
  }
  const { protocol } = shape
  const settled = protocol === 'openid2' ? answerOpenid(state, shape, call) : null
  if (settled !== null) return settled
  const client =
    protocol === 'telegram' ? checkTelegram(state, call) : protocol === 'draugiem' ? checkDraugiem(state, call) : null
  if (client instanceof Response) return client
  const person = await ask(call)
  if (person instanceof Response) return person
  if (protocol === 'openid2') return settleOpenid(state, shape, call, person)
  if (client === null) return settlePocket(state, call, person)
  return protocol === 'telegram'
    ? settleTelegram(state, shape, call, client, person)
    : settleDraugiem(state, call, client, person)
}

/** Handles a call without faults. */
export async function answerCall(state: State, shape: Shape, call: Call, ask: Ask): Promise<Response> {
  if (shape.protocol === 'oauth2') return answerOAuth2(state, shape, call, ask)
  if (shape.protocol === 'oauth1') return answerOAuth1(state, shape, call, ask)
  return answerOwn(state, shape, call, ask)
}

const failure = (message: string): Response =>
  jsonReply(400, { error: { message, type: 'OAuthException', code: 190, fbtrace_id: 'A1b2' } })

/**
 * Returns app tokens and long-lived tokens, which Facebook issues at its token endpoint, or `null` for a code.
 * @see Meta for Developers, "Access Tokens" and "Long-Lived Access Tokens"
 */
function answerFacebookToken(state: State, call: Call): Response | null {
  const query = call.url.searchParams
  const grantType = query.get('grant_type')
  if (grantType !== 'client_credentials' && grantType !== 'fb_exchange_token') return null
  const client = authenticateApp(state, call, 'client_id', 'client_secret')
  if (client === null) return failure('Error validating client secret.')
  if (grantType === 'client_credentials') {
    const token = `${client.clientId}|${secretText(state)}`
    const grant: Grant = {
      provider: call.provider,
      clientId: client.clientId,
      person: state.person,
      scopes: [],
      nonce: null,
      asked: {},
    }
    state.tokens.set(token, { grant, secret: '', use: 'app', expiresAtMs: Number.POSITIVE_INFINITY })
    return jsonReply(200, { access_token: token, token_type: 'bearer' })
  }
  const token = state.tokens.get(query.get('fb_exchange_token') ?? '')
  if (token?.use !== 'access' || token.grant.clientId !== client.clientId) return failure('Invalid OAuth access token.')
  const longer = issueToken(state, token.grant)
  return jsonReply(200, { access_token: longer, token_type: 'bearer', expires_in: 5_184_000 })
}

/** Returns the owner of an access token. @see Meta for Developers, "Debug Token" */
function answerDebugToken(state: State, call: Call): Response {
  const query = call.url.searchParams
  const [appId = '', secret = ''] = (query.get('access_token') ?? '').split('|')
  const byApp = state.tokens.get(query.get('access_token') ?? '')?.use === 'app'
  const bySecret = state.clients.get(call.provider)?.get(appId)?.secret === secret
  if (!byApp && !bySecret) return failure('Invalid OAuth access token.')
  const token = state.tokens.get(query.get('input_token') ?? '')
  const now = state.io.now()
  if (token?.use !== 'access' || token.grant.provider !== call.provider || now >= token.expiresAtMs) {
    return jsonReply(200, {
      data: { is_valid: false, scopes: [], error: { code: 190, message: 'Invalid OAuth access token.' } },
    })
  }
  return jsonReply(200, {
    data: {
      app_id: token.grant.clientId,
      type: 'USER',
      application: 'Emulated',
      expires_at: Math.floor(now / 1000) + TOKEN_LIFE_SECONDS,
      is_valid: true,
      scopes: ['email', 'public_profile'],
      user_id: token.grant.person.id,
    },
  })
}

/** Returns the app token, which Feishu requires first. @see Feishu Open Platform, "Get app_access_token" */
function answerAppToken(state: State, call: Call): Response {
  const client = call.method === 'POST' ? authenticateApp(state, call, 'app_id', 'app_secret') : null
  if (client === null) return jsonReply(200, { code: 10_014, msg: 'app secret invalid' })
  const token = `t-${secretText(state)}`
  const grant: Grant = {
    provider: call.provider,
    clientId: client.clientId,
    person: state.person,
    scopes: [],
    nonce: null,
    asked: {},
  }
  state.tokens.set(token, { grant, secret: '', use: 'app', expiresAtMs: Number.POSITIVE_INFINITY })
  return jsonReply(200, { code: 0, msg: 'ok', app_access_token: token, tenant_access_token: token, expire: 7200 })
}
