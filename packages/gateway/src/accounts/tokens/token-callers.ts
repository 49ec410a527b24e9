import type { HostedAuth, User, UserId } from '@gatepost/auth'
import type { CheckedToken } from '@gatepost/auth/oidc'
import type { Scope } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import { toMount, withMount } from '../../config/public-url.ts'
import { accountById, OWNER_ACCOUNT } from '../account-store.sql.ts'
import { type Caller, OWNER, SCOPES, toPermissions } from '../caller.ts'
import type { SecondFactors } from '../second-factors.ts'
import type { GatewayTables } from '../schema.ts'
import type { TokenRow } from './token-store.sql.ts'
import { parseRowScopes, type Tokens } from './tokens.ts'

/** Returns a function that resolves an OAuth access token to its caller; `null` if it's invalid or for another resource. */
export function createClientCheck(parts: {
  readonly auth: HostedAuth
  readonly database: Database<GatewayTables>
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
  /** `null`: taken from the request. */
  readonly publicUrl: string | null
}): (token: string, request: Request) => Promise<Caller | null> {
  const { auth, factors, user, ownAccount } = parts
  const ofUser = async (found: User, checked: CheckedToken, asked: readonly Scope[]): Promise<Caller> => {
    const rights = toPermissions(found, await factors.isMissing(found))
    return {
      ...toClientProof(checked, String(found.id)),
      principal: { accountId: await ownAccount(found.id) },
      scopes: new Set(asked.filter((scope) => rights.scopes.has(scope))),
      withheld: new Set(asked.filter((scope) => rights.withheld.has(scope))),
      userId: String(found.id),
      isStaff: rights.isStaff,
    }
  }
  return async (token, request) => {
    if (!auth.kernel.settings.idpOidc.enabled) return null
    const checked = await auth.module('oidc').tokens.check(token)
    const { publicUrl } = parts
    const address = withMount(toMount(publicUrl), request.url)
    if (checked === null || !isAudience(checked.audience, publicUrl ?? request.url, address)) return null
    const asked = [...SCOPES].filter((scope) => checked.scopes.includes(scope))
    if (checked.user !== null) return ofUser(checked.user, checked, asked)
    const { ownerId } = checked.client
    // A client that acts for itself has the permissions of its owner.
    const owner = ownerId === null ? null : await user(String(ownerId))
    if (owner !== null) return owner.isActive ? ofUser(owner, checked, asked) : null
    if (ownerId !== null || (await accountById(parts.database.db, OWNER_ACCOUNT)) === null) return null
    return { ...OWNER, ...toClientProof(checked, null), scopes: new Set(asked) }
  }
}

const toClientProof = ({ client, expiresAtMs, grantId }: CheckedToken, userId: string | null) =>
  ({
    kind: 'client',
    isByCookie: false,
    actor: userId === null ? client.id : `${userId} by ${client.id}`,
    expiresAtMs,
    client: { id: client.id, grantId },
  }) as const

/**
 * Whether a token is valid for this URL. A token for a resource is only valid at or below it.
 * @param service Public address of the service, which may differ from the request's behind a proxy.
 * @see RFC 8707 section 2
 */
function isAudience(audience: string | null, service: string, url: string): boolean {
  if (audience === null) return true
  const resource = URL.parse(audience)
  if (resource === null || resource.host !== new URL(service).host) return false
  const path = resource.pathname.replace(/\/+$/, '')
  const { pathname } = new URL(url)
  return pathname === path || pathname.startsWith(`${path}/`)
}

const toTokenProof = ({ id, expires_at_ms, client_id, grant_id }: TokenRow) =>
  ({
    kind: 'token',
    isByCookie: false,
    actor: id,
    expiresAtMs: expires_at_ms,
    ...(client_id !== null && { client: { id: client_id, grantId: grant_id } }),
  }) as const

/** Returns a function that resolves a personal access token to its caller; `null` if it's no longer valid. */
export function createTokenCheck(parts: {
  readonly auth: HostedAuth
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
}): (text: string) => Promise<Caller | null> {
  const { auth, database, tokens, factors, user, ownAccount } = parts
  /** A token that a client created ends with the client and its authorization. */
  const isClientActive = async ({ client_id, grant_id }: TokenRow): Promise<boolean> => {
    if (client_id === null) return true
    const oidc = auth.moduleIfOn('oidc')
    if (oidc === null) return false
    if (grant_id !== null) return oidc.tokens.isGrantActive(grant_id)
    return (await oidc.clients.byId(auth.kernel.database.db, client_id)) !== null
  }
  /** Only the owner token and its own tokens may act in a disabled account. */
  const isOpen = async ({ account_id, user_id }: TokenRow): Promise<boolean> => {
    if (account_id === OWNER_ACCOUNT && user_id === null) return true
    const account = await accountById(database.db, account_id)
    if (account === null) return false
    return account.user_id === null || (await user(account.user_id))?.isActive === true
  }
  return async (text) => {
    const row = await tokens.check(text)
    if (row === null || !(await isOpen(row)) || !(await isClientActive(row))) return null
    const proof = toTokenProof(row)
    const principal = { accountId: row.account_id }
    const asked = parseRowScopes(row)
    if (row.user_id === null) return { ...OWNER, ...proof, principal, scopes: new Set(asked) }
    const maker = await user(row.user_id)
    if (maker === null || !maker.isActive) return null
    const isOwn = (await ownAccount(maker.id)) === row.account_id
    // Created by staff for another account: invalid once they are no longer staff.
    if (!maker.isStaff && !isOwn) return null
    const rights = toPermissions(maker, await factors.isMissing(maker))
    const mayAct = isOwn || rights.isStaff
    const scopes = new Set(asked.filter((scope) => mayAct && rights.scopes.has(scope)))
    const withheld = new Set(asked.filter((scope: Scope) => !mayAct || rights.withheld.has(scope)))
    return { ...proof, principal, scopes, withheld, userId: row.user_id, isStaff: rights.isStaff }
  }
}
