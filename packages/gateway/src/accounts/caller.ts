import type { Principal, Scope } from '@gatepost/channels'

/** The authenticated caller of a request and their permissions. */
export interface Caller {
  /** The account that the caller acts in. */
  readonly principal: Principal
  readonly scopes: ReadonlySet<Scope>
  /** Scopes withheld because the staff user lacks a required second factor. */
  readonly withheld: ReadonlySet<Scope>
  readonly kind: 'owner' | 'session' | 'token' | 'client'
  /** Authenticated by a cookie, so changes need a CSRF check. */
  readonly isByCookie: boolean
  /** Id of the user whose permissions apply, as text; `null`: the owner token. */
  readonly userId: string | null
  /** May access every account, with the scope `admin`. */
  readonly isStaff: boolean
  /** Name in the audit log: `owner`, a user id (`by` a client), or the id of a token or client. */
  readonly actor: string
  /** When the credential expires, milliseconds since the Unix epoch; `null`: never. */
  readonly expiresAtMs: number | null
  /**
   * The OAuth client that calls or that the token was created by. `grantId`: its authorization by the user; `null`: it
   * acts for itself.
   */
  readonly client?: { readonly id: string; readonly grantId: string | null }
}

/** All scopes: those of the owner token and of staff. */
export const SCOPES: ReadonlySet<Scope> = new Set<Scope>([
  'channels:read',
  'channels:write',
  'channels:send',
  'account',
  'admin',
])
const PERSONAL: ReadonlySet<Scope> = new Set([...SCOPES].filter((scope) => scope !== 'admin'))

const NONE: ReadonlySet<Scope> = new Set()
const STAFF_ONLY: ReadonlySet<Scope> = new Set([...SCOPES].filter((scope) => !PERSONAL.has(scope)))

/** Returns a user's permissions. @param lacksFactor Whether a staff user lacks a required second factor. */
export function toPermissions(
  { isStaff }: { readonly isStaff: boolean },
  lacksFactor: boolean,
): Pick<Caller, 'scopes' | 'withheld' | 'isStaff'> {
  if (isStaff && !lacksFactor) return { scopes: SCOPES, withheld: NONE, isStaff }
  return { scopes: PERSONAL, withheld: isStaff ? STAFF_ONLY : NONE, isStaff: false }
}

/** The caller that uses the owner token. */
export const OWNER: Caller = {
  principal: { accountId: 'owner' },
  scopes: SCOPES,
  withheld: NONE,
  kind: 'owner',
  isByCookie: false,
  userId: null,
  isStaff: true,
  actor: 'owner',
  expiresAtMs: null,
}
