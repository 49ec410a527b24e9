import type { Principal, Scope } from '@gatepost/channels'

/** Who a request comes from and what it may do. */
export interface Caller {
  /** The account that it acts in. */
  readonly principal: Principal
  readonly scopes: ReadonlySet<Scope>
  /** What it may not do only because its user is of staff and lacks the second factor that staff must have. */
  readonly withheld: ReadonlySet<Scope>
  readonly kind: 'owner' | 'session' | 'token' | 'client'
  /** Proved by what a browser sends by itself: a change must come from a page of ours. */
  readonly isByCookie: boolean
  /** Whose rights these are, the key as text; `null`: the owner token's. */
  readonly userId: string | null
  /** Sees every account, with the scope `admin`. */
  readonly isStaff: boolean
  /** As the audit log names it: `owner`, the user's key (`by` a client), or the id of the token or client. */
  readonly actor: string
  /** When the proof ends by itself, milliseconds since the Unix epoch; `null`: it does not. */
  readonly expiresAtMs: number | null
}

/** What the owner token and staff may do. */
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

/** What a person may do, and so whatever acts for them. @param lacksFactor Staff, without the second factor they must have. */
export function toPermissions(
  { isStaff }: { readonly isStaff: boolean },
  lacksFactor: boolean,
): Pick<Caller, 'scopes' | 'withheld' | 'isStaff'> {
  if (isStaff && !lacksFactor) return { scopes: SCOPES, withheld: NONE, isStaff }
  return { scopes: PERSONAL, withheld: isStaff ? STAFF_ONLY : NONE, isStaff: false }
}

/** The owner token. */
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
