import type { Principal, Scope } from '@gatepost/channels'

/** Who a request comes from and what it may do. */
export interface Caller {
  /** The account that it acts in. */
  readonly principal: Principal
  readonly scopes: ReadonlySet<Scope>
  readonly kind: 'owner' | 'session' | 'token'
  /** Whose rights these are, the key as text; `null`: the owner token's. */
  readonly userId: string | null
  /** Sees every account, with the scope `admin`. */
  readonly isStaff: boolean
  /** As the audit log names it: `owner`, the user's key, or the id of the token. */
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

/** What a person may do, and so whatever acts for them. */
export const scopesOf = (user: { readonly isStaff: boolean }): ReadonlySet<Scope> => (user.isStaff ? SCOPES : PERSONAL)

/** The owner token. */
export const OWNER: Caller = {
  principal: { accountId: 'owner' },
  scopes: SCOPES,
  kind: 'owner',
  userId: null,
  isStaff: true,
  actor: 'owner',
  expiresAtMs: null,
}
