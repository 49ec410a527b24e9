import { accountById, OWNER_ACCOUNT } from './account-store.sql.ts'
import { type Caller, OWNER, rightsOf, SCOPES } from './caller.ts'
import { mountOf, withMount } from '../config/public-url.ts'
import type { SecondFactors } from './second-factors.ts'
import type { GatewayTables } from './tables.ts'
import type { Auth, User, UserId } from '@gatepost/auth'
import type { CheckedToken } from '@gatepost/auth/extend'
import type { Scope } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Whom a client of our OpenID Connect provider acts for, by its access token; `null`: for nobody, or not here. */
export function clientCheck(parts: {
  readonly core: Auth['core']
  readonly database: Database<GatewayTables>
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
  /** `null`: what the request says. */
  readonly publicUrl: string | null
}): (token: string, request: Request) => Promise<Caller | null> {
  const { core, factors, user, ownAccount } = parts
  const ofUser = async (found: User, checked: CheckedToken, asked: readonly Scope[]): Promise<Caller> => {
    const rights = rightsOf(found, await factors.isMissing(found))
    return {
      ...proofOf(checked, String(found.id)),
      principal: { accountId: await ownAccount(found.id) },
      scopes: new Set(asked.filter((scope) => rights.scopes.has(scope))),
      withheld: new Set(asked.filter((scope) => rights.withheld.has(scope))),
      userId: String(found.id),
      isStaff: rights.isStaff,
    }
  }
  return async (token, request) => {
    if (!core.settings.idpOidc.enabled) return null
    const checked = await core.oidc.tokens.check(token)
    const { publicUrl } = parts
    const address = withMount(mountOf(publicUrl), request.url)
    if (checked === null || !isFor(checked.audience, publicUrl ?? request.url, address)) return null
    const asked = [...SCOPES].filter((scope) => checked.scopes.includes(scope))
    if (checked.user !== null) return ofUser(checked.user, checked, asked)
    const { ownerId } = checked.client
    // A client that calls for itself has the rights of who registered it.
    const owner = ownerId === null ? null : await user(String(ownerId))
    if (owner !== null) return owner.isActive ? ofUser(owner, checked, asked) : null
    if (ownerId !== null || (await accountById(parts.database.db, OWNER_ACCOUNT)) === null) return null
    return { ...OWNER, ...proofOf(checked, null), scopes: new Set(asked) }
  }
}

const proofOf = ({ client, expiresAtMs }: CheckedToken, userId: string | null) =>
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
function isFor(audience: string | null, service: string, url: string): boolean {
  if (audience === null) return true
  const resource = URL.parse(audience)
  if (resource === null || resource.host !== new URL(service).host) return false
  const path = resource.pathname.replace(/\/+$/, '')
  const { pathname } = new URL(url)
  return pathname === path || pathname.startsWith(`${path}/`)
}
