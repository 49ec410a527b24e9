import { requireSlot } from '../../kernel/limits/take.ts'
import type { OidcClient } from '../clients.ts'
import { OAuthError } from './oauth-error.ts'
import type { Call, EngineParts } from './parts.ts'

/** Client credentials of a request. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string | null
}

/**
 * Reads the credentials from HTTP Basic or the body. A public client sends only its ID. `null` if they're missing or
 * malformed.
 * @see RFC 6749 section 2.3.1
 */
export function readClientCredentials({ raw, form }: Pick<Call, 'raw' | 'form'>): ClientCredentials | null {
  const header = raw.headers.get('authorization')
  if (header !== null) return parseBasicCredentials(header)
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  return id === null || id === '' ? null : { id, secret: secret === '' ? null : secret }
}

function parseBasicCredentials(header: string): ClientCredentials | null {
  const [, encoded] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header) ?? []
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return null
  try {
    const [id = '', secret = ''] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', '%20')),
    )
    return { id, secret }
  } catch {
    return null // malformed escapes
  }
}

/**
 * Returns whether the client secret is correct. Wrong secrets count per IP address, and per IP address and client, so
 * that an attacker can't lock a client out from another address. @throws {AuthError} `rate_limited`, `address_unknown`
 */
export async function verifyClientSecret(
  { oidc, checkingSecrets }: EngineParts,
  { ip }: Pick<Call, 'ip'>,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<boolean> {
  const subject = { ip, key: `${id.slice(0, 100)} ${ip ?? ''}` }
  // Correct secrets don't count: a server sends the token requests of all its users from one address.
  return checkingSecrets(ip ?? '', async () => {
    requireSlot(await oidc.kernel.limits.check('client_failed', subject, oidc.kernel.clock.now()))
    const isRight = await oidc.clients.isSecret(oidc.kernel.database.db, id, secret)
    if (!isRight) await oidc.kernel.limits.take('client_failed', subject, oidc.kernel.clock.now())
    return isRight
  })
}

/**
 * Authenticates the client of a request. A public client needs no secret.
 * @throws {OAuthError} `invalid_client` (401), `invalid_request`; {AuthError} `rate_limited`
 */
export async function authenticateClient(parts: EngineParts, call: Call): Promise<OidcClient> {
  const challenge: Record<string, string> = call.raw.headers.has('authorization')
    ? { 'www-authenticate': `Basic realm="${call.issuer}"` }
    : {}
  if (call.raw.headers.has('authorization') && call.form.has('client_secret')) {
    throw new OAuthError('invalid_request', 'Send the client credentials in one place only.')
  }
  const refused = (): OAuthError => new OAuthError('invalid_client', 'Unknown client or wrong secret.', challenge)
  const given = readClientCredentials(call)
  if (given === null || (call.form.get('client_id') ?? given.id) !== given.id) throw refused()
  const client = await parts.oidc.clients.byId(parts.oidc.kernel.database.db, given.id)
  call.caller.client = client
  if (client?.type === 'public') {
    if (given.secret !== null) throw refused()
    return client
  }
  if (given.secret === null) throw refused()
  const isRight = await verifyClientSecret(parts, call, { id: given.id, secret: given.secret })
  if (client === null || !isRight) throw refused()
  return client
}

/** The member of the library's client metadata that contains the `OidcClient`. */
export const OWN_CLIENT = 'gatepost'
/** Placeholders that the library requires. Redirect URIs and secrets are checked by our own rules. */
const PLACEHOLDER_URI = 'https://redirect.invalid/'
const PLACEHOLDER_SECRET = 'placeholder: secrets are checked against their hash'

/** Returns a client's metadata for the library (RFC 7591 section 2), as JSON. */
export function toClientMetadata(client: OidcClient): Readonly<Record<string, unknown>> {
  const isCodeAllowed = client.grantTypes.includes('authorization_code')
  const responseTypes = client.responseTypes.filter((type) => type !== 'code' || isCodeAllowed)
  const hasImplicit = responseTypes.some((type) => type !== 'code')
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: 'web',
    ...(client.type === 'confidential'
      ? { token_endpoint_auth_method: 'client_secret_basic', client_secret: PLACEHOLDER_SECRET }
      : { token_endpoint_auth_method: 'none' }),
    redirect_uris: responseTypes.length > 0 ? [PLACEHOLDER_URI] : [],
    response_types: responseTypes,
    grant_types: [...client.grantTypes, ...(hasImplicit ? ['implicit'] : [])],
    scope: client.scopes.join(' '),
    id_token_signed_response_alg: 'RS256',
    [OWN_CLIENT]: client,
  }
}
