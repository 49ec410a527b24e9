import type { Oidc } from '../oidc.ts'
import { jsonResponse } from '../../kernel/http/responses.ts'
import { InvalidInput } from '../../errors.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { OidcClient, OidcClientInput } from '../clients.ts'
import { isPossibleToken } from '../tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { type Call, type EngineParts, KINDS } from './parts.ts'

const TOKEN_BYTES = 32
const FOREVER_MS = 100 * 365 * 86_400_000
const LONGEST_NAME = 100
const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const
const SELF_REGISTERED = { registered: true } as const

/** Returns whether the client registered itself and wasn't reviewed; staff can clear the mark. */
export const isSelfRegistered = ({ data }: OidcClient): boolean => data['registered'] === SELF_REGISTERED.registered

/**
 * Handles dynamic client registration. Anyone can register a public client. Its metadata isn't trusted, so users see
 * where the redirect leads next to its name.
 * @see RFC 7591
 * @throws {OAuthError} `invalid_redirect_uri`, `invalid_client_metadata`; {AuthError} `rate_limited`
 */
export async function register(parts: EngineParts, call: Call): Promise<Response> {
  const { oidc } = parts
  await takeSlot(oidc.kernel.limits, 'register_client', { ip: call.ip }, oidc.kernel.clock.now())
  const wanted = parseRegistration(parts, call)
  const { client } = await withMetadataErrors(() =>
    oidc.clients.create(oidc.kernel.database.db, { ...wanted, data: SELF_REGISTERED }),
  )
  const token = Buffer.from(oidc.kernel.random(TOKEN_BYTES)).toString('base64url')
  const expiresAtMs = oidc.kernel.clock.now() + FOREVER_MS
  await oidc.kernel.artifacts.put(oidc.kernel.database.db, KINDS.registration, token, {
    payload: { clientId: client.id },
    expiresAtMs,
  })
  return jsonResponse(toRegistrationResponse(oidc, call, client, token), 201)
}

/**
 * Handles requests of a registered client to read, change, or delete itself.
 * @see RFC 7592
 * @throws {OAuthError} `invalid_token` (401)
 */
export async function manageRegistration(parts: EngineParts, call: Call, pathId: string): Promise<Response> {
  const { oidc } = parts
  const { raw } = call
  const { client, token } = await authenticateRegistration(parts, raw, pathId)
  if (raw.method === 'GET' || raw.method === 'HEAD')
    return jsonResponse(toRegistrationResponse(oidc, call, client, token), 200)
  if (raw.method === 'PUT') {
    const { db } = oidc.kernel.database
    const changed = await withMetadataErrors(() => oidc.clients.update(db, client.id, parseRegistration(parts, call)))
    return jsonResponse(toRegistrationResponse(oidc, call, changed, token), 200)
  }
  const allowed = 'GET, HEAD, PUT, DELETE'
  if (raw.method !== 'DELETE')
    throw new OAuthError('invalid_request', "This URL doesn't support this method.", { allow: allowed }, 405)
  await oidc.clients.remove(oidc.kernel.database.db, client.id)
  await oidc.kernel.artifacts.remove(oidc.kernel.database.db, KINDS.registration, token)
  return new Response(null, { status: 204 })
}

async function authenticateRegistration(
  { oidc }: EngineParts,
  raw: Request,
  pathId: string,
): Promise<{ readonly client: OidcClient; readonly token: string }> {
  const [, token = ''] = /^bearer +(\S+)$/i.exec(raw.headers.get('authorization') ?? '') ?? []
  const { artifacts, clock, database } = oidc.kernel
  const found = isPossibleToken(token) ? await artifacts.get(database.db, KINDS.registration, token, clock.now()) : null
  const id = isRecord(found?.payload) ? found.payload['clientId'] : undefined
  const client = typeof id === 'string' ? await oidc.clients.byId(database.db, id) : null
  if (client !== null && encodeURIComponent(client.id) === pathId) return { client, token }
  throw new OAuthError('invalid_token', 'Unknown registration token.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  })
}

/** Reads the metadata that a client can choose. Everything else is the same for all self-registered clients. */
function parseRegistration(
  { registrationScopes }: EngineParts,
  { body, raw }: Call,
): OidcClientInput & { readonly name: string } {
  const given = parseJsonBody(raw, body)
  const { redirect_uris: uris, client_name: name, scope } = given
  const redirectUris = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
  if (!Array.isArray(uris) || redirectUris.length < uris.length || redirectUris.length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris is missing or invalid.')
  }
  if (!redirectUris.every(isSelfRegistrableUri)) {
    throw new OAuthError('invalid_redirect_uri', 'Redirect URIs must be https, or http on a loopback address.')
  }
  const asked = typeof scope === 'string' ? scope.split(' ') : registrationScopes
  const scopes = registrationScopes.filter((one) => asked.includes(one))
  if (scopes.length === 0)
    throw new OAuthError('invalid_client_metadata', 'None of these scopes is available to self-registered clients.')
  return {
    name: (typeof name === 'string' ? sanitizeClientName(name) : '') || 'An application',
    type: 'public',
    scopes,
    defaultScopes: [],
    grantTypes: GRANT_TYPES,
    responseTypes: ['code'],
    redirectUris,
    skipConsent: false,
    allowUriWildcards: false,
  }
}

/** Removes characters that could change how the surrounding text is displayed, and truncates the name. */
const sanitizeClientName = (name: string): string =>
  Array.from(
    name
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
    .slice(0, LONGEST_NAME)
    .join('')
    .trim()

/**
 * Returns whether a self-registered client may use the redirect URI. Any app on a device can claim a custom scheme, so
 * staff register such clients.
 */
function isSelfRegistrableUri(uri: string): boolean {
  const { protocol, hostname } = URL.parse(uri) ?? {}
  const isLoopback = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'
  return !uri.includes('*') && (protocol === 'https:' || (protocol === 'http:' && isLoopback))
}

function parseJsonBody(raw: Request, body: Uint8Array): Readonly<Record<string, unknown>> {
  const isJson = /^application\/json\b/i.test(raw.headers.get('content-type') ?? '')
  try {
    const value: unknown = isJson ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) : null
    if (isRecord(value)) return value
  } catch (cause) {
    if (!(cause instanceof SyntaxError) && !(cause instanceof TypeError)) throw cause
  }
  throw new OAuthError('invalid_client_metadata', 'The body must be a JSON object.')
}

async function withMetadataErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const isUri = error.errors.some(({ param }) => param === 'redirectUris')
    throw new OAuthError(isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata', 'The client metadata is invalid.')
  }
}

/** Returns the client information response. */
const toRegistrationResponse = (oidc: Oidc, { url }: Call, client: OidcClient, token: string) => ({
  client_id: client.id,
  client_id_issued_at: Math.floor(client.createdAtMs / 1_000),
  client_name: client.name,
  redirect_uris: client.redirectUris,
  grant_types: client.grantTypes,
  response_types: client.responseTypes,
  scope: client.scopes.join(' '),
  token_endpoint_auth_method: 'none',
  registration_access_token: token,
  registration_client_uri: `${url.origin}${oidc.paths.register}/${encodeURIComponent(client.id)}`,
})
