import { jsonResponse } from '../../kernel/http/responses.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import { nullOnUniqueViolation } from '../../kernel/schema/in-transaction.sql.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { OidcAdapter, OidcEngine } from '../oidc.ts'
import { readClientCredentials } from './client-authentication.ts'
import { storeGrant } from './grants.ts'
import { OAuthError } from './oauth-error.ts'
import { areAllowed, type Call, type EngineParts, KINDS, knownResource, requestedScopes } from './parts.ts'
import { toLibrarySession } from './session.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const CODE_BYTES = 32
const CODE_ATTEMPTS = 5
/** How long after its expiry a device code is reported as expired rather than unknown. */
const GRACE_MS = 600_000

/** A stored device code. The times in `payload` are seconds of our clock. */
interface StoredDevice {
  readonly id: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly client: OidcClient
  readonly userCode: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly expiresAtMs: number
}

/**
 * Handles a device authorization request and issues the codes. @see RFC 8628 section 3.2
 * @throws {OAuthError} `invalid_client`, `unauthorized_client`, `invalid_scope`, `invalid_target`; {AuthError}
 * `rate_limited`
 */
export async function authorizeDevice(parts: EngineParts, call: Call): Promise<Response> {
  const { oidc } = parts
  const { idpOidc } = oidc.kernel.settings
  await takeSlot(oidc.kernel.limits, 'device_code', { ip: call.ip }, oidc.kernel.clock.now())
  const client = await deviceClient(parts, call)
  const scopes = requestedScopes(call.form.get('scope'), client)
  if (!areAllowed(scopes, client)) throw new OAuthError('invalid_scope', 'The client is not allowed this scope.')
  const resources = call.form.getAll('resource')
  if (resources.some((asked) => knownResource(parts.resources, asked, call.issuer) === null))
    throw new OAuthError('invalid_target', 'Unknown resource.')
  const deviceCode = Buffer.from(oidc.kernel.random(CODE_BYTES)).toString('base64url')
  const [resource, ...more] = resources
  const details = {
    scope: scopes.join(' '),
    ...(resource !== undefined && { resource: more.length === 0 ? resource : resources }),
  }
  const userCode = await storeDevice(parts, call, client, deviceCode, details)
  const verificationUri = `${call.url.origin}${oidc.paths.device}`
  return jsonResponse(
    {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verificationUri,
      ...(canFollowLink(oidc.adapter, scopes) && {
        verification_uri_complete: `${verificationUri}?code=${encodeURIComponent(userCode)}`,
      }),
      expires_in: idpOidc.deviceCodeExpiresIn,
      interval: idpOidc.deviceCodeInterval,
    },
    200,
  )
}

/** Returns whether a device's user may follow a link with the code, instead of typing it. */
const canFollowLink = ({ readOnlyScopes }: OidcAdapter, scopes: readonly string[]): boolean =>
  scopes.every((scope) => readOnlyScopes.includes(scope))

/** Returns the client, which must be public, because a confidential client is a server used through a browser. */
async function deviceClient({ oidc }: EngineParts, call: Call): Promise<OidcClient> {
  const given = readClientCredentials(call)
  const client = given === null ? null : await oidc.clients.byId(oidc.kernel.database.db, given.id)
  call.caller.client = client
  if (client === null || client.type !== 'public')
    throw new OAuthError('invalid_client', 'Only public clients can use the device flow.')
  if (client.grantTypes.includes(GRANT_TYPE)) return client
  throw new OAuthError('unauthorized_client', 'The client is not allowed the device flow.')
}

/** Stores a device code. @returns a user code that isn't in use, as shown to people */
async function storeDevice(
  { oidc }: EngineParts,
  { ip, raw }: Call,
  client: OidcClient,
  deviceCode: string,
  details: { readonly scope: string; readonly resource?: string | readonly string[] },
): Promise<string> {
  const { artifacts, clock, database, settings } = oidc.kernel
  const endsAtMs = clock.now() + settings.idpOidc.deviceCodeExpiresIn * 1_000
  for (let attempt = 1; attempt <= CODE_ATTEMPTS; attempt++) {
    const userCode = oidc.adapter.generateUserCode()
    const lookup = normalizeUserCode(userCode)
    const payload = {
      kind: 'DeviceCode',
      // The device page knows only the user code, so the device code is stored too. The payload is sealed.
      id: deviceCode,
      clientId: client.id,
      userCode,
      params: { client_id: client.id, ...details },
      ...details,
      deviceInfo: { ip, userAgent: raw.headers.get('user-agent')?.slice(0, 200) ?? null },
      iat: Math.floor(clock.now() / 1_000),
      exp: Math.floor(endsAtMs / 1_000),
    }
    const artifact = { payload, expiresAtMs: endsAtMs + GRACE_MS, lookup }
    const isFree = (await artifacts.byLookup(database.db, KINDS.device, lookup, clock.now())) === null
    const put = (): Promise<void> => artifacts.put(database.db, KINDS.device, deviceCode, artifact)
    if (isFree && (await nullOnUniqueViolation(database.db, () => put().then(() => true))) !== null) return userCode
  }
  throw new Error('generateUserCode returned only codes that are in use')
}

/** Removes punctuation and ignores case. */
const normalizeUserCode = (userCode: string): string => userCode.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/**
 * Rejects a poll before the interval since the last accepted one has passed. @see RFC 8628 section 3.5
 * @throws {OAuthError} `slow_down`
 */
export async function checkPoll({ oidc }: EngineParts, deviceCode: string, client: OidcClient): Promise<void> {
  const { artifacts, clock, database, settings } = oidc.kernel
  const known = await artifacts.get(database.db, KINDS.device, deviceCode, clock.now())
  if (known === null || !isRecord(known.payload) || known.payload['clientId'] !== client.id) return
  const nowMs = clock.now()
  const mark = { payload: {}, expiresAtMs: nowMs + settings.idpOidc.deviceCodeInterval * 1_000 }
  if (await artifacts.add(database.db, KINDS.poll, deviceCode, mark, nowMs)) return
  throw new OAuthError('slow_down', 'The device polls too often.')
}

/** Creates the engine's functions for the device page. */
export function createDevices(parts: EngineParts): Pick<OidcEngine, 'device' | 'decideDevice'> {
  return {
    async device(_request, userCode) {
      const found = await load(parts, userCode)
      if (found === null) return null
      const { client, scopes, payload } = found
      const info = isRecord(payload['deviceInfo']) ? payload['deviceInfo'] : {}
      const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
      const device = { ip: text(info['ip']), userAgent: text(info['userAgent']) }
      return {
        userCode: found.userCode,
        client,
        scopes,
        device,
        mustTypeCode: !canFollowLink(parts.oidc.adapter, scopes),
        isSensitive: scopes.some((scope) => parts.oidc.adapter.sensitiveScopes.includes(scope)),
      }
    },
    async decideDevice(request, userCode, user, isGranted) {
      const found = await load(parts, userCode)
      if (found === null) return false
      return parts.oidc.kernel.database.transaction(async (tx) => {
        const { artifacts, clock } = parts.oidc.kernel
        const { expiresAtMs } = found
        const mark = { payload: {}, expiresAtMs }
        if (!(await artifacts.add(tx, KINDS.decision, found.id, mark, clock.now()))) return false
        const decided = isGranted ? await grantDevice(parts, tx, request, found, user) : DENIED
        const payload = { ...found.payload, ...decided }
        await artifacts.put(tx, KINDS.device, found.id, {
          payload,
          expiresAtMs,
          lookup: normalizeUserCode(found.userCode),
        })
        return true
      })
    },
  }
}

const DENIED = { error: 'access_denied', errorDescription: 'The user denied the request.' } as const

async function grantDevice(
  parts: EngineParts,
  tx: Parameters<typeof storeGrant>[1],
  request: Visit,
  { client, scopes, resources }: StoredDevice,
  user: User,
): Promise<Readonly<Record<string, unknown>>> {
  const who = toLibrarySession(parts.oidc, request, client)
  await parts.consents.give(tx, client.id, user.id, { scopes })
  const grantId = await storeGrant(parts, tx, { client, user, scopes, rejected: [], resources })
  return {
    grantId,
    accountId: parts.oidc.adapter.getUserSub(client, user),
    ...(who !== null && {
      authTime: Math.floor(who.atMs / 1_000),
      acr: who.acr,
      amr: who.amr,
    }),
  }
}

/** Loads a device code that's neither decided nor expired; otherwise `null`. */
async function load({ oidc }: EngineParts, userCode: string): Promise<StoredDevice | null> {
  const { artifacts, clock, database } = oidc.kernel
  const lookup = normalizeUserCode(userCode)
  const found = await artifacts.byLookup(database.db, KINDS.device, lookup, clock.now())
  if (found === null || !isRecord(found.payload)) return null
  const { payload, expiresAtMs } = found
  const { accountId, error, clientId, scope, resource, id } = payload
  const isOver = Number(payload['exp']) * 1_000 <= clock.now()
  if (isOver || accountId !== undefined || error !== undefined) return null
  const client = await oidc.clients.byId(database.db, String(clientId))
  if (client === null) return null
  return {
    id: String(id),
    payload,
    client,
    userCode: String(payload['userCode']),
    scopes: requestedScopes(typeof scope === 'string' ? scope : null, client),
    resources: [resource ?? []].flat().map(String),
    expiresAtMs,
  }
}
