import type { Principal, Scope, Secret } from '@gatepost/channels'
import { createHash, timingSafeEqual } from 'node:crypto'

/** Who a request comes from and what it may do. */
export interface Caller {
  readonly principal: Principal
  readonly scopes: ReadonlySet<Scope>
}

/** Reads the `Authorization` header; `null` when it proves nothing. */
export type Authenticate = (authorization: string | undefined) => Caller | null

export const SCOPES: ReadonlySet<Scope> = new Set(['channels:read', 'channels:write', 'channels:send', 'admin'])

/** The owner token is the only proof so far, and it allows everything. */
export function ownerAuthentication(token: Secret): Authenticate {
  const expected = digest(token.reveal())
  const owner: Caller = { principal: { accountId: 'owner' }, scopes: SCOPES }
  return (authorization) => {
    const given = /^Bearer +([\w.~+/=-]{1,512}) *$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && timingSafeEqual(digest(given), expected) ? owner : null
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
