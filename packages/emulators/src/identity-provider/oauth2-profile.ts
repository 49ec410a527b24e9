import { jsonReply } from './reply.ts'
import { ALL_SCOPES, type Call, type Grant, type OAuth2Shape, type ProfileAccess, type Transport } from './shape.ts'
import { findClient, type State } from './state.ts'
import { toShownSubject, withoutId } from './visible.ts'

const refuseProfile = (shape: OAuth2Shape, code: string): Response => {
  const [status, body] = shape.profileError?.(code) ?? [401, { error: code }]
  return jsonReply(status, body)
}

/** Returns the token from where the provider expects it. */
function findToken(transport: Transport, call: Call): string | null {
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

function matchesAccess(shape: OAuth2Shape, call: Call, access: ProfileAccess): boolean {
  const given = call.url.searchParams
  if (call.kind === 'profile' && shape.profileParams?.some((name) => !given.has(name))) return false
  const headersFit = Object.entries(shape.profileHeaders ?? {}).every(([name, wanted]) => {
    const value = call.headers.get(name)
    if (value === null) return false
    return typeof wanted === 'string' ? value === wanted.replace('clientId', access.clientId) : wanted.test(value)
  })
  return headersFit && (shape.profileCheck?.(call, access) ?? true)
}

/** Returns the grant of a call; without a token, that of the current person. */
function findGrant(
  state: State,
  shape: OAuth2Shape,
  call: Call,
  transport: Transport,
): readonly [Grant, string] | null {
  if (transport === 'none') {
    const clientId = call.url.searchParams.get(shape.profileClient ?? '') ?? ''
    return [
      { provider: call.provider, clientId, person: state.person, scopes: [ALL_SCOPES], nonce: null, asked: {} },
      '',
    ]
  }
  const text = findToken(transport, call) ?? ''
  const token = state.tokens.get(text)
  const use = transport === 'form:id_token' ? 'id' : 'access'
  if (token?.use !== use || token.grant.provider !== call.provider) return null
  return state.io.now() < token.expiresAtMs ? [token.grant, text] : null
}

/** Handles the profile and the email endpoint. */
export function answerProfile(state: State, shape: OAuth2Shape, call: Call): Response {
  const isSecond = call.address === shape.secondProfile
  const asksProfile = call.kind === 'profile' && !isSecond
  const method = asksProfile ? shape.profileMethod : isSecond ? shape.secondMethod : 'GET'
  if (call.method !== (method ?? 'GET')) return jsonReply(405, { error: 'method_not_allowed' })
  const transport = isSecond ? (shape.secondTransport ?? shape.transport) : shape.transport
  const behind = findGrant(state, shape, call, transport)
  if (behind === null) return refuseProfile(shape, 'invalid_token')
  const [grant, token] = behind
  const client = findClient(state, call.provider, grant.clientId)
  const { clientId = '', secret = '', key = '' } = client ?? {}
  if (client === null && (transport !== 'none' || shape.profileClient !== undefined))
    return refuseProfile(shape, 'invalid_client')
  const access = { person: grant.person, token, clientId, secret, key }
  if (asksProfile && !matchesAccess(shape, call, access)) return refuseProfile(shape, 'invalid_request')
  const who = toShownSubject(state, shape, call, grant)
  const make = call.kind === 'email' ? shape.emailReply : isSecond ? shape.secondProfileReply : shape.profileReply
  const reply = make?.(who, call, grant)
  return reply instanceof Response ? reply : jsonReply(200, withoutId(reply), shape.profileType)
}
