import type { StoredGrant } from '../consents.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { TokenRow, TokenType } from '../token-rows.sql.ts'
import { isPossibleToken, liveScopes } from '../tokens.ts'
import { endGrant, storeToken } from './grants.ts'
import { type Refusals, type Storage, visitedClient } from './library-model.ts'
import { fromStore, toStore } from './library-time.ts'
import { type EngineParts, KINDS } from './parts.ts'
import { currentVisit, userKey } from './visit.ts'

/** Columns of the row, and what only names the token. */
const IN_COLUMNS: ReadonlySet<string> = new Set(['jti', 'iat', 'exp', 'scope', 'clientId', 'accountId', 'extra'])

type Payload = Readonly<Record<string, unknown>>

/** Tokens: rows of the account tables, by hash. A refresh token that was used is remembered, to notice its thief. */
export function tokenStorage(parts: EngineParts, type: TokenType, refusals: Refusals): Storage {
  const { oidc, rows } = parts
  const { artifacts, clock, database } = oidc.kernel
  const hashOf = (token: string): string => oidc.adapter.hashToken(token)
  return {
    async upsert(id, payload, expiresIn) {
      const hash = hashOf(currentVisit().signed.get(id) ?? id)
      const { grantId } = payload
      const row = rowOf(parts, type, hash, { ...payload }, expiresIn)
      if (!(await storeToken(parts, row, grantId ?? null))) throw refusals.invalidGrant('grant not found')
    },
    async find(token) {
      if (!isPossibleToken(token)) return undefined
      const row = await rows.byHash(database.db, type, hashOf(token), clock.now())
      if (row !== null) return fromStore(oidc.kernel, { ...(await payloadOf(parts, row)), jti: token })
      const used = await artifacts.get(database.db, KINDS.used, hashOf(token), clock.now())
      return used !== null && isRecord(used.payload)
        ? fromStore(oidc.kernel, { ...used.payload, jti: token })
        : undefined
    },
    async consume(token) {
      const hash = hashOf(token)
      const row = await rows.byHash(database.db, type, hash, clock.now())
      if (row === null || !(await useUp(parts, row, hash))) {
        const used = await artifacts.get(database.db, KINDS.used, hash, clock.now())
        const grantId = isRecord(used?.payload) ? used.payload['grantId'] : undefined
        if (typeof grantId === 'string') await endGrant(parts, database.db, grantId)
        throw refusals.invalidGrant('refresh token already used')
      }
    },
    async destroy(token) {
      await rows.take(database.db, type, hashOf(token))
    },
    revokeByGrantId: (grantId) => (type === 'at' ? endGrant(parts, database.db, grantId) : Promise.resolve()),
  }
}

/** Of two callers at once one gets the row, and only that one leaves the mark. */
async function useUp(parts: EngineParts, row: TokenRow, hash: string): Promise<boolean> {
  const { oidc, rows } = parts
  const { artifacts, clock, database } = oidc.kernel
  const used = { ...(await payloadOf(parts, row)), consumed: Math.floor(clock.now() / 1_000) }
  const expiresAtMs = row.expiresAtMs ?? clock.now() + oidc.kernel.settings.idpOidc.refreshTokenExpiresIn * 1_000
  return database.transaction(async (tx) => {
    if ((await rows.take(tx, row.type, hash)) === null) return false
    await artifacts.put(tx, KINDS.used, hash, { payload: used, expiresAtMs })
    return true
  })
}

function rowOf({ oidc }: EngineParts, type: TokenType, hash: string, payload: Payload, expiresIn: number | undefined) {
  const own = Object.entries(toStore(oidc.kernel, payload)).filter(([name]) => !IN_COLUMNS.has(name))
  const { clientId, accountId, scope } = payload
  const details: JsonObject = Object.fromEntries(own)
  const nowMs = oidc.kernel.clock.now()
  return {
    type,
    hash,
    clientId: String(clientId),
    userId: typeof accountId === 'string' ? userOf(String(clientId), accountId) : null,
    scopes: typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : [],
    createdAtMs: nowMs,
    expiresAtMs: expiresIn === undefined ? null : nowMs + expiresIn * 1_000,
    email: null,
    details,
  }
}

function userOf(clientId: string, sub: string): UserId {
  const user = currentVisit().users.get(userKey(clientId, sub))
  if (user === undefined) throw new Error('a token is made for somebody who was not looked up')
  return user.id
}

/** What the library reads of a row; of one of an old site what it can know. Times are ours. */
async function payloadOf(parts: EngineParts, row: TokenRow): Promise<Payload> {
  const { oidc } = parts
  const user = row.userId === null ? null : await oidc.kernel.users.byId(oidc.kernel.database.db, row.userId)
  const client = await visitedClient(oidc, row.clientId)
  const accountId = user === null || client === null ? undefined : oidc.adapter.getUserSub(client, user)
  const details = row.details ?? (await adopted(parts, row))
  return {
    ...details,
    clientId: row.clientId,
    ...(accountId !== undefined && { accountId }),
    scope: client === null ? '' : liveScopes(row, client).join(' '),
    iat: Math.floor(row.createdAtMs / 1_000),
    ...(row.expiresAtMs !== null && { exp: Math.floor(row.expiresAtMs / 1_000) }),
  }
}

/** A refresh token of an old site belongs to no grant yet: it is its own consent. */
async function adopted({ oidc, consents }: EngineParts, row: TokenRow): Promise<JsonObject> {
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

/** Grants are made by us; the library reads them, and ends them. */
export const grantStorage = (parts: EngineParts): Storage => ({
  upsert: () => Promise.reject(new Error('grants are written elsewhere')),
  async find(id) {
    const { oidc, consents } = parts
    const grant = await consents.grant(oidc.kernel.database.db, id)
    return grant === null ? undefined : fromStore(oidc.kernel, grantPayload(id, grant))
  },
  destroy: (id) => endGrant(parts, parts.oidc.kernel.database.db, id),
})

const grantPayload = (id: string, { payload, expiresAtMs }: StoredGrant): Payload => ({
  ...payload,
  jti: id,
  kind: 'Grant',
  exp: Math.floor(expiresAtMs / 1_000),
})
