import { jsonReply } from './reply.ts'
import { type Call, NO_ID, type OAuth2Shape, type Subject, subjectOf } from './shape.ts'
import { clientOf, faultAt, type IssuedToken, type State } from './state.ts'
import { withoutId } from './without-id.ts'

const refused = (shape: OAuth2Shape, code: string): Response => {
  const [status, body] = shape.profileError?.(code) ?? [401, { error: code }]
  return jsonReply(status, body)
}

/** The token, from the one place where the provider looks for it. */
function tokenIn(shape: OAuth2Shape, call: Call): string | null {
  const { transport } = shape
  const authorization = call.headers.get('authorization')
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? null
  if (transport === 'bearer') return bearer
  if (transport === 'any') return bearer ?? call.url.searchParams.get('access_token')
  if (transport === 'path') return call.path['access_token'] ?? null
  if (transport.startsWith('query:')) return call.url.searchParams.get(transport.slice('query:'.length))
  if (transport.startsWith('form:')) return call.form.get(transport.slice('form:'.length))
  if (!transport.startsWith('header:')) return null
  const [name = '', before = ''] = transport.slice('header:'.length).split(/: ?/)
  const value = call.headers.get(name)
  const start = before === '' ? '' : `${before} `
  return value?.startsWith(start) ? value.slice(start.length) : null
}

function headersFit(shape: OAuth2Shape, call: Call, clientId: string): boolean {
  return Object.entries(shape.profileHeaders ?? {}).every(([name, wanted]) => {
    const given = call.headers.get(name)
    if (given === null) return false
    return typeof wanted === 'string' ? given === wanted.replace('clientId', clientId) : wanted.test(given)
  })
}

/** Who is shown: the person of the token, or with a fault somebody else or nobody. */
export function shownAt(
  state: State,
  shape: Pick<OAuth2Shape, 'uidFrom'>,
  call: Call,
  person: IssuedToken['grant']['person'],
): Subject {
  const fault = faultAt(state, call.provider, call.kind)
  if (fault === 'other_subject') return subjectOf({ ...person, id: `${person.id}0` })
  if (fault !== 'no_uid') return subjectOf(person)
  return subjectOf({ ...person, [shape.uidFrom ?? 'id']: NO_ID, id: NO_ID })
}

/** The grant behind the token of a call, or why it is refused. */
function grantOf(state: State, shape: OAuth2Shape, call: Call): IssuedToken['grant'] | Response {
  if (shape.transport === 'none')
    return { provider: call.provider, clientId: '', person: state.person, scopes: [], nonce: null }
  const text = tokenIn(shape, call)
  const token = text === null ? undefined : state.tokens.get(text)
  if (text === null || token === undefined || token.grant.provider !== call.provider)
    return refused(shape, 'invalid_token')
  if (state.io.now() >= token.expiresAtMs) return refused(shape, 'invalid_token')
  const client = clientOf(state, call.provider, token.grant.clientId)
  if (client === null || !headersFit(shape, call, client.clientId)) return refused(shape, 'invalid_request')
  const problem = shape.profileCheck?.(call, token.grant, text, client.secret, client.key ?? '') ?? null
  return problem === null ? token.grant : refused(shape, problem)
}

/** Answers the profile and the e-mail endpoint. */
export function answerProfile(state: State, shape: OAuth2Shape, call: Call): Response {
  const method = call.kind === 'profile' ? (shape.profileMethod ?? 'GET') : 'GET'
  if (call.method !== method) return jsonReply(405, { error: 'method_not_allowed' })
  const grant = grantOf(state, shape, call)
  if (grant instanceof Response) return grant
  const who = shownAt(state, shape, call, grant.person)
  const reply = call.kind === 'email' ? shape.emailReply?.(who, call) : shape.profileReply?.(who, call, grant)
  return reply instanceof Response ? reply : jsonReply(200, withoutId(reply))
}
