import { signIdTokenFor } from './id-token.ts'
import { formPostReply, redirectReply, textReply } from './reply.ts'
import { type Call, type EmulatedPerson, type Grant, type OAuth2Shape, subjectOf } from './shape.ts'
import { clientOf, type EmulatedClient, faultAt, secretText, type State } from './state.ts'

const CODE_LIFE_MS = 60_000

/** What a person is asked, once the request itself is right. */
export interface Asked {
  readonly client: EmulatedClient
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

const delimiterOf = (shape: OAuth2Shape): string | null =>
  shape.scopeDelimiter === 'any' ? null : (shape.scopeDelimiter ?? ' ')

/** Scopes of a request; `null` when they are joined by the delimiter of somebody else. */
function scopesOf(shape: OAuth2Shape, text: string): readonly string[] | null {
  const delimiter = delimiterOf(shape)
  if (delimiter === null) return text === '' ? [] : [text]
  const scopes = text.split(delimiter).filter((scope) => scope !== '')
  const foreign = [',', ' ', '|'].filter((each) => each !== delimiter)
  return scopes.some((scope) => foreign.some((each) => scope.includes(each))) ? null : scopes
}

/** Checks who asks; an error here is shown to the person, never sent on. RFC 6749, section 4.1.2.1 */
function askedBy(state: State, shape: OAuth2Shape, call: Call): Asked | Response {
  const query = call.url.searchParams
  const client = clientOf(state, call.provider, query.get(shape.authorizeClientId ?? 'client_id'))
  if (client === null) return textReply(400, 'The client is not known here.')
  const name = shape.authorizeRedirect === undefined ? 'redirect_uri' : shape.authorizeRedirect
  const redirectUri = name === null ? (client.redirectUris[0] ?? '') : query.get(name)
  if (redirectUri === null || !client.redirectUris.includes(redirectUri)) {
    return textReply(400, 'The redirect URI is not registered for this client.')
  }
  return { client, redirectUri, scopes: [] }
}

/** What is wrong with the rest of the request: an error code for the client. */
function refusalOf(shape: OAuth2Shape, query: URLSearchParams): string | null {
  const wanted = { response_type: 'code', ...shape.authorizeParams }
  for (const [name, value] of Object.entries(wanted)) {
    const given = query.get(name)
    if (given === null || (value !== '' && given !== value)) {
      return name === 'response_type' ? 'unsupported_response_type' : 'invalid_request'
    }
  }
  if (scopesOf(shape, query.get('scope') ?? '') === null) return 'invalid_scope'
  const challenge = query.get('code_challenge')
  if (challenge === null) return shape.pkceNeeded ? 'invalid_request' : null
  const method = query.get('code_challenge_method') ?? 'plain'
  return ['S256', 'plain'].includes(method) && /^[\w.~-]{43,128}$/.test(challenge) ? null : 'invalid_request'
}

/** Sends an answer to the client in the way the request asked for. */
function answerTo(
  shape: OAuth2Shape,
  redirectUri: string,
  parameters: Readonly<Record<string, string | null>>,
): Response {
  if (shape.responseMode === 'form_post') return formPostReply(redirectUri, parameters)
  return redirectReply(redirectUri, parameters)
}

/** The request checked: whom the person is to allow, or the error reply. */
export function checkAuthorize(state: State, shape: OAuth2Shape, call: Call): Asked | Response {
  const asked = askedBy(state, shape, call)
  if (asked instanceof Response) return asked
  const query = call.url.searchParams
  const error = refusalOf(shape, query)
  if (error !== null) return answerTo(shape, asked.redirectUri, { error, state: query.get('state') })
  return { ...asked, scopes: scopesOf(shape, query.get('scope') ?? '') ?? [] }
}

/** The person said no, or the provider cannot. */
export const refuseAuthorize = (shape: OAuth2Shape, call: Call, asked: Asked, error = 'access_denied'): Response =>
  answerTo(shape, asked.redirectUri, {
    error,
    error_description: error === 'access_denied' ? 'The person refused.' : 'Emulated.',
    state: call.url.searchParams.get('state'),
  })

/** The person said yes: a code goes back. */
export function allowAuthorize(
  state: State,
  shape: OAuth2Shape,
  call: Call,
  asked: Asked,
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
    ...shape.callbackParams?.(subjectOf(person), asked.scopes, first),
    id_token: responseTypes.includes('id_token')
      ? signIdTokenFor(state, shape, call, grant, null, faultAt(state, call.provider, 'authorize'))
      : null,
  })
}
