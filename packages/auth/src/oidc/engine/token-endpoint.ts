import { GRANT_TYPES } from '../client-rules.ts'
import type { OidcClient } from '../clients.ts'
import { type ClientCredentials, readClientCredentials, verifyClientSecret } from './client-authentication.ts'
import { callLibrary, runLibraryCall, type LibraryCall } from './bridge.ts'
import { checkPoll } from './device.ts'
import { OAuthError } from './oauth-error.ts'
import { areAllowed, type Call, type EngineParts, requestedScopes } from './parts.ts'
import type { Providers } from './providers.ts'

/** Handles token requests. @throws {OAuthError}; {AuthError} `rate_limited` */
export async function token(providers: Providers, call: Call): Promise<Response> {
  const { parts } = providers
  const { oidc } = parts
  const given = readClientCredentials(call)
  const client = given === null ? null : await oidc.clients.byId(oidc.kernel.database.db, given.id)
  call.caller.client = client
  const verified =
    given === null || client?.type === 'public' ? null : await verifyClientCredentials(parts, call, given)
  const isAuthenticated = client !== null && (client.type === 'public' || verified !== null)
  const form = isAuthenticated ? await checkTokenRequest(parts, call, client) : call.form
  const ring = await parts.keys.ring()
  const libraryCall: LibraryCall = {
    request: null,
    who: null,
    proof: null,
    ring,
    scope: null,
    verified,
    users: new Map(),
    clients: new Map(client === null ? [] : [[client.id, client]]),
    signed: new Map(),
    refusal: null,
  }
  const { library, provider } = await providers.of(call.issuer, client, ring)
  const body = form === call.form ? call.body : new Uint8Array(Buffer.from(form.toString()))
  const bridged = { url: call.url, method: 'POST', headers: buildTokenHeaders(call.raw), body, ip: call.ip }
  const response = await runLibraryCall(libraryCall, () => callLibrary(library, provider, bridged))
  await extendRefreshToken(parts, call, response)
  return response
}

async function verifyClientCredentials(
  parts: EngineParts,
  call: Call,
  { id, secret }: ClientCredentials,
): Promise<LibraryCall['verified']> {
  return secret !== null && (await verifyClientSecret(parts, call, { id, secret })) ? { id, secret } : null
}

/**
 * Applies rules that the library lacks: the polling interval of devices, and default scopes. Returns the form, possibly
 * changed.
 */
async function checkTokenRequest(parts: EngineParts, call: Call, client: OidcClient): Promise<URLSearchParams> {
  const { form } = call
  const grantType = form.get('grant_type')
  const isKnown = GRANT_TYPES.some((one) => one === grantType)
  // Without a secret, anyone could act as the client, whatever its row allows (RFC 6749 section 4.4).
  const isOpen = grantType === 'client_credentials' && client.type === 'public'
  if (isOpen || (isKnown && !client.grantTypes.some((one) => one === grantType))) {
    throw new OAuthError('unauthorized_client', 'The client is not allowed this grant.')
  }
  if (grantType === 'urn:ietf:params:oauth:grant-type:device_code') {
    await checkPoll(parts, form.get('device_code') ?? '', client)
  }
  if (grantType !== 'client_credentials') return form
  const scopes = requestedScopes(form.get('scope'), client)
  if (scopes.length > 0 && !areAllowed(scopes, client)) {
    throw new OAuthError('invalid_scope', 'The client is not allowed this scope.')
  }
  const whole = new URLSearchParams(form)
  if (scopes.length > 0) whole.set('scope', scopes.join(' '))
  return whole
}

/** Extends the refresh token's lifetime with each use, if refresh tokens aren't rotated. */
async function extendRefreshToken(
  { oidc, rows, consents }: EngineParts,
  { form }: Call,
  response: Response,
): Promise<void> {
  const { db } = oidc.kernel.database
  const { rotateRefreshToken, refreshTokenExpiresIn } = oidc.kernel.settings.idpOidc
  if (rotateRefreshToken || !response.ok || form.get('grant_type') !== 'refresh_token') return
  const hash = oidc.adapter.hashToken(form.get('refresh_token') ?? '')
  const row = await rows.byHash(db, 'rt', hash, oidc.kernel.clock.now())
  if (row === null || row.userId === null) return
  const expiresAtMs = oidc.kernel.clock.now() + refreshTokenExpiresIn * 1_000
  const kept = row.details?.['grantId']
  const grantId = typeof kept === 'string' ? kept : `site-${row.id}`
  await rows.withLock(db, row.userId, async (tx) => {
    const grant = await consents.grant(tx, grantId)
    if (grant === null) return
    await rows.extend(tx, row.id, expiresAtMs)
    await consents.putGrant(tx, grantId, { ...grant, expiresAtMs: Math.max(grant.expiresAtMs, expiresAtMs) })
  })
}

function buildTokenHeaders(raw: Request): Headers {
  const headers = new Headers({ accept: 'application/json' })
  for (const name of ['content-type', 'authorization']) {
    const value = raw.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}
