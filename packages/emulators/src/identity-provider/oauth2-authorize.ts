import { signIdTokenFor } from './id-token.ts'
import { formPostReply, redirectReply, textReply } from './reply.ts'
import { type Call, type EmulatedPerson, type Grant, type OAuth2Shape, toSubject } from './shape.ts'
import { findClient, type EmulatedClient, faultAt, secretText, type State } from './state.ts'

const CODE_LIFE_MS = 60_000

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly client: EmulatedClient
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

const findScopeDelimiter = (shape: OAuth2Shape): string | null =>
  shape.scopeDelimiter === 'any' ? null : (shape.scopeDelimiter ?? ' ')

/** Parses the scopes of a request; `null` when they use another provider's delimiter. */
function parseScopes(shape: OAuth2Shape, text: string): readonly string[] | null {
  const delimiter = findScopeDelimiter(shape)
  if (delimiter === null) return text === '' ? [] : [text]
  const scopes = text.split(delimiter).filter((scope) => scope !== '')
  const foreign = [',', ' ', '|'].filter((each) => each !== delimiter)
  return scopes.some((scope) => foreign.some((each) => scope.includes(each))) ? null : scopes
}

/** Checks client and redirect URI. These errors are shown to the person, never redirected. RFC 6749, section 4.1.2.1 */
function checkClient(state: State, shape: OAuth2Shape, call: Call): AuthorizationRequest | Response {
  const query = call.url.searchParams
  const client = findClient(state, call.provider, query.get(shape.authorizeClientId ?? 'client_id'))
  if (client === null) return textReply(400, 'Unknown client.')
  const name = shape.authorizeRedirect === undefined ? 'redirect_uri' : shape.authorizeRedirect
  const redirectUri = name === null ? (client.redirectUris[0] ?? '') : query.get(name)
  if (redirectUri === null || !client.redirectUris.includes(redirectUri)) {
    return textReply(400, "The redirect URI isn't registered for this client.")
  }
  return { client, redirectUri, scopes: [] }
}

/** Returns the error code for an invalid request, or `null`. */
function findRequestError(shape: OAuth2Shape, query: URLSearchParams): string | null {
  const wanted = { response_type: 'code', ...shape.authorizeParams }
  for (const [name, value] of Object.entries(wanted)) {
    const given = query.get(name)
    if (given === null || (value !== '' && given !== value)) {
      return name === 'response_type' ? 'unsupported_response_type' : 'invalid_request'
    }
  }
  if (parseScopes(shape, query.get('scope') ?? '') === null) return 'invalid_scope'
  const challenge = query.get('code_challenge')
  if (challenge === null) return shape.pkceNeeded ? 'invalid_request' : null
  const method = query.get('code_challenge_method') ?? 'plain'
  return ['S256', 'plain'].includes(method) && /^[\w.~-]{43,128}$/.test(challenge) ? null : 'invalid_request'
}

/** Redirects to the client in the requested response mode. */
function answerTo(
  shape: OAuth2Shape,
  redirectUri: string,
  parameters: Readonly<Record<string, string | null>>,
): Response {
  if (shape.responseMode === 'form_post') return formPostReply(redirectUri, parameters)
  return redirectReply(redirectUri, parameters)
}

/** Checks a request. Returns what to authorize, or the error response. */
export function checkAuthorize(state: State, shape: OAuth2Shape, call: Call): AuthorizationRequest | Response {
  const asked = checkClient(state, shape, call)
  if (asked instanceof Response) return asked
  const query = call.url.searchParams
  const error = findRequestError(shape, query)
  if (error !== null) return answerTo(shape, asked.redirectUri, { error, state: query.get('state') })
  return { ...asked, scopes: parseScopes(shape, query.get('scope') ?? '') ?? [] }
}

/** Redirects with an error: the person declined, or the provider failed. */
export const refuseAuthorize = (
  shape: OAuth2Shape,
  call: Call,
  asked: AuthorizationRequest,
  error = 'access_denied',
): Response =>
  answerTo(shape, asked.redirectUri, {
    error,
    error_description: error === 'access_denied' ? 'The person refused.' : 'Emulated.',
    state: call.url.searchParams.get('state'),
  })

/** Redirects with a code: the person agreed. */
export function allowAuthorize(
  state: State,
  shape: OAuth2Shape,
  call: Call,
  asked: AuthorizationRequest,
  person: EmulatedPerson,
): Response {
  const query = call.url.searchParams
  const grant: Grant = {
    provider: call.provider,
    clientId: asked.client.clientId,
    person,
    scopes: asked.scopes,
    nonce: query.get('nonce'),
    asked: Object.fromEntries(query),
  }
  const consent = `${call.provider} ${grant.clientId} ${person.id}`
  const first = !state.consents.has(consent)
  state.consents.add(consent)
  const code = secretText(state)
  state.codes.set(code, {
    grant,
    redirectUri: shape.authorizeRedirect === null ? null : asked.redirectUri,
    challenge: query.get('code_challenge'),
    challengeMethod: query.get('code_challenge_method') ?? 'plain',
    expiresAtMs: state.io.now() + CODE_LIFE_MS,
  })
  const responseTypes = (query.get('response_type') ?? '').split(' ')
  return answerTo(shape, asked.redirectUri, {
    [shape.callbackCode ?? 'code']: code,
    state: query.get('state'),
    ...shape.callbackParams?.(toSubject(person), asked.scopes, first),
    id_token: responseTypes.includes('id_token')
      ? signIdTokenFor(state, shape, call, grant, null, faultAt(state, call.provider, 'authorize'))
      : null,
  })
}
