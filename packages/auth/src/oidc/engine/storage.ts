import type { Adapter } from 'oidc-provider'
import type { Kernel } from '../../kernel/kernel.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { StoredGrant } from '../consents.ts'
import type { Oidc } from '../oidc.ts'
import type { TokenRow, TokenType } from '../token-rows.sql.ts'
import { isPossibleToken, liveScopes } from '../tokens.ts'
import { toClientMetadata } from './client-authentication.ts'
import { endGrant, storeToken } from './grants.ts'
import { type EngineParts, KINDS } from './parts.ts'
import { currentLibraryCall, userKey, type LibraryCall } from './bridge.ts'

/** The ID by which the library finds the visitor's session. */
export const OUR_SESSION = 'ours'

/** Returns the library's adapters, by model name. @see oidc-provider's documentation of adapters */
export function libraryStorage(parts: EngineParts, refusals: Refusals): (name: string) => Adapter {
  const by: Readonly<Record<string, () => Storage>> = {
    Client: () => clientStorage(parts),
    Session: () => sessionStorage(parts),
    Interaction: () => interactionStorage(parts),
    AuthorizationCode: () => codeStorage(parts, KINDS.code, refusals),
    DeviceCode: () => codeStorage(parts, KINDS.device, refusals),
    Grant: () => grantStorage(parts),
    AccessToken: () => tokenStorage(parts, 'at', refusals),
    ClientCredentials: () => tokenStorage(parts, 'at', refusals),
    RefreshToken: () => tokenStorage(parts, 'rt', refusals),
  }
  return (name) => complete(name, by[name]?.())
}

/** Completes an adapter with operations that no enabled feature needs, which throw. */
function complete(name: string, storage: Storage | undefined): Adapter {
  const missing = (): Promise<never> =>
    Promise.reject(new Error(`the storage of ${name} doesn't support this operation`))
  return {
    upsert: missing,
    find: missing,
    findByUserCode: missing,
    findByUid: missing,
    consume: missing,
    destroy: missing,
    // The access token adapter ends the whole grant.
    revokeByGrantId: () => Promise.resolve(),
    ...storage,
  }
}

const clientStorage = ({ oidc }: EngineParts): Storage => ({
  upsert: () => Promise.reject(new Error("the library doesn't write clients")),
  async find(id) {
    const client = await visitedClient(oidc, id)
    return client === null ? undefined : toClientMetadata(client)
  },
})

/** Presents the visitor's session to the library. Discards what the library writes. */
const sessionStorage = ({ oidc }: EngineParts): Storage => ({
  upsert: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  find: (id) => {
    const { who } = currentLibraryCall()
    if (id !== OUR_SESSION || who === null) return Promise.resolve(undefined)
    const { sub, atMs, acr, amr } = who
    const now = Math.floor(Date.now() / 1_000)
    return Promise.resolve({
      jti: OUR_SESSION,
      // The session's ID is the user's subject, so another user has another session.
      uid: sub,
      kind: 'Session',
      accountId: sub,
      loginTs: Math.floor(toLibraryTime(oidc.kernel, atMs)),
      acr,
      amr: [...amr],
      iat: now,
      exp: now + 3_600,
    })
  },
})

function interactionStorage({ oidc }: EngineParts): Storage {
  const { artifacts, clock, database } = oidc.kernel
  return {
    async upsert(id, payload, expiresIn = 0) {
      const { proof } = currentLibraryCall()
      const stored = { ...toStoredTimes(oidc.kernel, { ...payload }), proof }
      const expiresAtMs = clock.now() + expiresIn * 1_000
      await artifacts.put(database.db, KINDS.interaction, id, { payload: stored, expiresAtMs })
    },
    async find(id) {
      const found = await artifacts.get(database.db, KINDS.interaction, id, clock.now())
      if (found === null || !isRecord(found.payload)) return undefined
      return fromStoredTimes(oidc.kernel, ownInteraction(currentLibraryCall(), found.payload))
    },
    destroy: (id) => artifacts.remove(database.db, KINDS.interaction, id),
  }
}

/** Drops the session and result of another user in the same browser. */
function ownInteraction(
  { who }: LibraryCall,
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { session, result, ...rest } = payload
  const isTheirs = (value: unknown): boolean => !isRecord(value) || value['accountId'] === who?.sub
  const isOwnResult = isRecord(result) && isTheirs(result['login']) && isTheirs(result['consent'])
  return {
    ...rest,
    ...(isRecord(session) && isTheirs(session) && { session }),
    ...(isOwnResult && (who !== null || 'error' in result) && { result }),
  }
}

/** Stores authorization and device codes, each of which can be used only once. Using one again ends its grant. */
function codeStorage(parts: EngineParts, kind: string, { invalidGrant }: Refusals): Storage {
  const { oidc } = parts
  const { artifacts, clock, database } = oidc.kernel
  const find = async (id: string) => {
    const found = await artifacts.get(database.db, kind, id, clock.now())
    if (found === null || !isRecord(found.payload)) return undefined
    const consumed = found.consumedAtMs === null ? {} : { consumed: Math.floor(found.consumedAtMs / 1_000) }
    return fromStoredTimes(oidc.kernel, { ...found.payload, jti: id, ...consumed })
  }
  return {
    find,
    async upsert(id, payload, expiresIn = 0) {
      const { jti: _secret, ...stored } = toStoredTimes(oidc.kernel, { ...payload })
      await artifacts.put(database.db, kind, id, { payload: stored, expiresAtMs: clock.now() + expiresIn * 1_000 })
    },
    async consume(id) {
      if (await artifacts.consume(database.db, kind, id, clock.now())) return
      const grantId = (await find(id))?.['grantId']
      if (typeof grantId === 'string') await endGrant(parts, database.db, grantId)
      throw invalidGrant('code already consumed')
    },
    destroy: (id) => artifacts.remove(database.db, kind, id),
  }
}

/** Members that are stored in columns, or that identify the token. */
const IN_COLUMNS: ReadonlySet<string> = new Set(['jti', 'iat', 'exp', 'scope', 'clientId', 'accountId', 'extra'])

type Payload = Readonly<Record<string, unknown>>

/**
 * Stores tokens as rows, by hash. Remembers used refresh tokens: using one again means that it may have been stolen,
 * and ends its grant.
 */
function tokenStorage(parts: EngineParts, type: TokenType, refusals: Refusals): Storage {
  const { oidc, rows } = parts
  const { artifacts, clock, database } = oidc.kernel
  const hashStoredToken = (token: string): string => oidc.adapter.hashToken(token)
  return {
    async upsert(id, payload, expiresIn) {
      const hash = hashStoredToken(currentLibraryCall().signed.get(id) ?? id)
      const { grantId } = payload
      const row = toTokenRow(parts, type, hash, { ...payload }, expiresIn)
      if (!(await storeToken(parts, row, grantId ?? null))) throw refusals.invalidGrant('grant not found')
    },
    async find(token) {
      if (!isPossibleToken(token)) return undefined
      const row = await rows.byHash(database.db, type, hashStoredToken(token), clock.now())
      if (row !== null) return fromStoredTimes(oidc.kernel, { ...(await loadTokenPayload(parts, row)), jti: token })
      const used = await artifacts.get(database.db, KINDS.used, hashStoredToken(token), clock.now())
      return used !== null && isRecord(used.payload)
        ? fromStoredTimes(oidc.kernel, { ...used.payload, jti: token })
        : undefined
    },
    async consume(token) {
      const hash = hashStoredToken(token)
      const row = await rows.byHash(database.db, type, hash, clock.now())
      if (row === null || !(await consumeTokenRow(parts, row, hash))) {
        const used = await artifacts.get(database.db, KINDS.used, hash, clock.now())
        const grantId = isRecord(used?.payload) ? used.payload['grantId'] : undefined
        if (typeof grantId === 'string') await endGrant(parts, database.db, grantId)
        throw refusals.invalidGrant('refresh token already used')
      }
    },
    async destroy(token) {
      await rows.take(database.db, type, hashStoredToken(token))
    },
    revokeByGrantId: (grantId) => (type === 'at' ? endGrant(parts, database.db, grantId) : Promise.resolve()),
  }
}

/** Takes the row and remembers the token as used. Returns `false` if another call has taken the row. */
async function consumeTokenRow(parts: EngineParts, row: TokenRow, hash: string): Promise<boolean> {
  const { oidc, rows } = parts
  const { artifacts, clock, database } = oidc.kernel
  const used = { ...(await loadTokenPayload(parts, row)), consumed: Math.floor(clock.now() / 1_000) }
  const expiresAtMs = row.expiresAtMs ?? clock.now() + oidc.kernel.settings.idpOidc.refreshTokenExpiresIn * 1_000
  return database.transaction(async (tx) => {
    if ((await rows.take(tx, row.type, hash)) === null) return false
    await artifacts.put(tx, KINDS.used, hash, { payload: used, expiresAtMs })
    return true
  })
}

function toTokenRow(
  { oidc }: EngineParts,
  type: TokenType,
  hash: string,
  payload: Payload,
  expiresIn: number | undefined,
) {
  const own = Object.entries(toStoredTimes(oidc.kernel, payload)).filter(([name]) => !IN_COLUMNS.has(name))
  const { clientId, accountId, scope } = payload
  const details: JsonObject = Object.fromEntries(own)
  const nowMs = oidc.kernel.clock.now()
  return {
    type,
    hash,
    clientId: String(clientId),
    userId: typeof accountId === 'string' ? requireSubjectUserId(String(clientId), accountId) : null,
    scopes: typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : [],
    createdAtMs: nowMs,
    expiresAtMs: expiresIn === undefined ? null : nowMs + expiresIn * 1_000,
    email: null,
    details,
  }
}

function requireSubjectUserId(clientId: string, sub: string): UserId {
  const user = currentLibraryCall().users.get(userKey(clientId, sub))
  if (user === undefined) throw new Error('a token is issued for a user who was not looked up')
  return user.id
}

/** Returns a token's payload for the library, with times of our clock. */
async function loadTokenPayload(parts: EngineParts, row: TokenRow): Promise<Payload> {
  const { oidc } = parts
  const user = row.userId === null ? null : await oidc.kernel.users.byId(oidc.kernel.database.db, row.userId)
  const client = await visitedClient(oidc, row.clientId)
  const accountId = user === null || client === null ? undefined : oidc.adapter.getUserSub(client, user)
  const details = row.details ?? (await adoptLegacyToken(parts, row))
  return {
    ...details,
    clientId: row.clientId,
    ...(accountId !== undefined && { accountId }),
    scope: client === null ? '' : liveScopes(row, client).join(' '),
    iat: Math.floor(row.createdAtMs / 1_000),
    ...(row.expiresAtMs !== null && { exp: Math.floor(row.expiresAtMs / 1_000) }),
  }
}

/** Creates a consent and a grant for a migrated site's refresh token, which has none yet. */
async function adoptLegacyToken({ oidc, consents }: EngineParts, row: TokenRow): Promise<JsonObject> {
  const { db } = oidc.kernel.database
  const kind = row.type === 'rt' ? 'RefreshToken' : 'AccessToken'
  if (row.userId === null || row.type !== 'rt') return { kind }
  const grantId = `site-${row.id}`
  const client = await visitedClient(oidc, row.clientId)
  const user = await oidc.kernel.users.byId(db, row.userId)
  if (client === null || user === null) return { kind }
  const email = row.email === null ? {} : { email: row.email }
  const { mark } = await consents.give(db, client.id, user.id, { scopes: row.scopes, ...email })
  const payload = {
    accountId: oidc.adapter.getUserSub(client, user),
    clientId: client.id,
    openid: { scope: row.scopes.join(' ') },
  }
  const expiresAtMs = oidc.kernel.clock.now() + oidc.kernel.settings.idpOidc.refreshTokenExpiresIn * 1_000
  await consents.putGrant(db, grantId, { clientId: client.id, userId: user.id, mark, payload, expiresAtMs })
  return { kind, grantId, gty: 'authorization_code' }
}

/** Lets the library read and end grants, which it doesn't create. */
const grantStorage = (parts: EngineParts): Storage => ({
  upsert: () => Promise.reject(new Error("the library doesn't write grants")),
  async find(id) {
    const { oidc, consents } = parts
    const grant = await consents.grant(oidc.kernel.database.db, id)
    return grant === null ? undefined : fromStoredTimes(oidc.kernel, grantPayload(id, grant))
  },
  destroy: (id) => endGrant(parts, parts.oidc.kernel.database.db, id),
})

const grantPayload = (id: string, { payload, expiresAtMs }: StoredGrant): Payload => ({
  ...payload,
  jti: id,
  kind: 'Grant',
  exp: Math.floor(expiresAtMs / 1_000),
})

/** The adapter operations that a model needs. */
type Storage = Pick<Adapter, 'upsert' | 'find'> & Partial<Adapter>

/** Creates errors of the library, which is loaded on demand. */
interface Refusals {
  /** The code or token is invalid, expired, or used (RFC 6749 section 5.2). */
  invalidGrant(description: string): Error
}

/** Returns a client, looking it up once per call. */
async function visitedClient(oidc: Oidc, id: string): Promise<OidcClient | null> {
  const { clients } = currentLibraryCall()
  const client = clients.get(id) ?? (await oidc.clients.byId(oidc.kernel.database.db, id))
  if (client !== null) clients.set(id, client)
  return client
}

/**
 * Returns the skew to the protocol library's clock. The library uses the system clock, stored times the configured
 * clock.
 * @returns Seconds that the library's clock is ahead: 0 except in tests.
 */
function clockSkewSeconds({ clock }: Pick<Kernel, 'clock'>): number {
  const ours = clock.now()
  return Math.floor((Date.now() - ours) / 1_000)
}

/** Converts a time to the library's clock, in seconds since the Unix epoch. @param ms Milliseconds of our clock. */
export const toLibraryTime = (core: Pick<Kernel, 'clock'>, ms: number): number => ms / 1_000 + clockSkewSeconds(core)

const TIMES = ['iat', 'exp', 'authTime', 'iiat', 'loginTs', 'consumed'] as const

/** Converts the times in a payload from the library's clock to ours. */
const toStoredTimes = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload =>
  shiftTimes(payload, -clockSkewSeconds(core))

/** Converts the times in a payload from our clock to the library's. */
const fromStoredTimes = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload =>
  shiftTimes(payload, clockSkewSeconds(core))

function shiftTimes(payload: Payload, seconds: number): Payload {
  if (seconds === 0) return payload
  const times = TIMES.flatMap((name) => {
    const value = payload[name]
    return typeof value === 'number' ? [[name, value + seconds] as const] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}
