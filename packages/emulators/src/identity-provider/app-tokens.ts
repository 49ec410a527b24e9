import { appOf, issueToken, TOKEN_LIFE_SECONDS } from './oauth2-token.ts'
import { jsonReply } from './reply.ts'
import type { Call, Grant } from './shape.ts'
import { secretText, type State } from './state.ts'

const failure = (message: string): Response =>
  jsonReply(400, { error: { message, type: 'OAuthException', code: 190, fbtrace_id: 'A1b2' } })

/**
 * Tokens of an app and longer-lived ones, which Facebook hands out at its token endpoint; `null` for a code.
 * @see Meta for Developers, "Access Tokens" and "Long-Lived Access Tokens"
 */
export function answerFacebookToken(state: State, call: Call): Response | null {
  const query = call.url.searchParams
  const grantType = query.get('grant_type')
  if (grantType !== 'client_credentials' && grantType !== 'fb_exchange_token') return null
  const client = appOf(state, call, 'client_id', 'client_secret')
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

/** Whose an access token is. @see Meta for Developers, "Debug Token" */
export function answerDebugToken(state: State, call: Call): Response {
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

/** The token of an app that Feishu demands before any other. @see Feishu Open Platform, "Get app_access_token" */
export function answerAppToken(state: State, call: Call): Response {
  const client = call.method === 'POST' ? appOf(state, call, 'app_id', 'app_secret') : null
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
