import type { HostedAuth, User, UserId } from '@gatepost/auth'
import type { CheckedToken } from '@gatepost/auth/extend'
import type { Scope } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import { toMount, withMount } from '../../config/public-url.ts'
import { accountById, OWNER_ACCOUNT } from '../account-store.sql.ts'
import { type Caller, OWNER, SCOPES, toPermissions } from '../caller.ts'
import type { SecondFactors } from '../second-factors.ts'
import type { GatewayTables } from '../schema.ts'
import type { TokenRow } from './token-store.sql.ts'
import { parseRowScopes, type Tokens } from './tokens.ts'

/** Whom a client of our OpenID Connect provider acts for, by its access token; `null`: for nobody, or not here. */
export function createClientCheck(parts: {
  readonly auth: HostedAuth
  readonly database: Database<GatewayTables>
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
  /** `null`: what the request says. */
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
    // A client that calls for itself has the rights of who registered it.
    const owner = ownerId === null ? null : await user(String(ownerId))
    if (owner !== null) return owner.isActive ? ofUser(owner, checked, asked) : null
    if (ownerId !== null || (await accountById(parts.database.db, OWNER_ACCOUNT)) === null) return null
    return { ...OWNER, ...toClientProof(checked, null), scopes: new Set(asked) }
  }
}

const toClientProof = ({ client, expiresAtMs }: CheckedToken, userId: string | null) =>
  ({
    kind: 'client',
    isByCookie: false,
    actor: userId === null ? client.id : `${userId} by ${client.id}`,
    expiresAtMs,
  }) as const

/**
 * Whether a token may be shown to this address: one that was asked for a resource is good there and below alone.
 * @param service Address of the service as clients know it: a proxy may ask by another name.
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

/** Who a personal access token acts for; `null`: for nobody, any more. */
export function createTokenCheck(parts: {
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
}): (text: string) => Promise<Caller | null> {
  const { database, tokens, factors, user, ownAccount } = parts
  /** Nobody acts in an account that is disabled but the owner token, and what it makes for itself. */
  const isOpen = async ({ account_id, user_id }: TokenRow): Promise<boolean> => {
    if (account_id === OWNER_ACCOUNT && user_id === null) return true
    const account = await accountById(database.db, account_id)
    if (account === null) return false
    return account.user_id === null || (await user(account.user_id))?.isActive === true
  }
  return async (text) => {
    const row = await tokens.check(text)
    if (row === null || !(await isOpen(row))) return null
    const proof = { kind: 'token', isByCookie: false, actor: row.id, expiresAtMs: row.expires_at_ms } as const
    const principal = { accountId: row.account_id }
    const asked = parseRowScopes(row)
    if (row.user_id === null) return { ...OWNER, ...proof, principal, scopes: new Set(asked) }
    const maker = await user(row.user_id)
    if (maker === null || !maker.isActive) return null
    const isOwn = (await ownAccount(maker.id)) === row.account_id
    // Made by staff for another account: no longer when they are no longer staff.
    if (!maker.isStaff && !isOwn) return null
    const rights = toPermissions(maker, await factors.isMissing(maker))
    const mayAct = isOwn || rights.isStaff
    const scopes = new Set(asked.filter((scope) => mayAct && rights.scopes.has(scope)))
    const withheld = new Set(asked.filter((scope: Scope) => !mayAct || rights.withheld.has(scope)))
    return { ...proof, principal, scopes, withheld, userId: row.user_id, isStaff: rights.isStaff }
  }
}
