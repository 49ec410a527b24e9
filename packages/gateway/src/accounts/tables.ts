/** Whose channels are whose. `account_id` names the folder and the rows of the channels. */
interface AccountTable {
  account_id: string
  /** The user's key as text; `null`: the owner token's account, as long as it is nobody's. */
  user_id: string | null
}

interface TokenTable {
  id: string
  /** Where the token acts. */
  account_id: string
  /** Who made it, and whose rights it lives on; `null`: the owner token. */
  user_id: string | null
  /** Id of the token that made it, and that it is revoked with; `null`: a person or the owner token did. */
  made_by: string | null
  name: string
  /** SHA-256, hexadecimal. */
  token_hash: string
  /** With spaces between. */
  scopes: string
  created_at_ms: number
  expires_at_ms: number | null
  last_used_at_ms: number | null
  revoked_at_ms: number | null
}

interface InvitationTable {
  id: string
  token_hash: string
  email: string | null
  is_staff: number
  /** The one that creates the first account. */
  is_first: number
  /** Actor, as in the audit log. */
  created_by: string
  created_at_ms: number
  expires_at_ms: number
  used_at_ms: number | null
  /** Account id. */
  used_by: string | null
}

interface AuditTable {
  /** Rises with time. */
  id: string
  at_ms: number
  actor: string
  actor_kind: string
  account_id: string | null
  action: string
  target: string | null
  ip: string | null
  user_agent: string | null
  outcome: string
  code: string | null
}

/** One row at most: what staff have set of the assistant. */
interface AssistantTable {
  id: string
  /** Another one after each change. */
  version: string
  /** JSON, sealed with the secret key. */
  sealed: string
  changed_at_ms: number
}

/** The gateway's own tables. */
export interface GatewayTables {
  gateway_account: AccountTable
  gateway_token: TokenTable
  gateway_invitation: InvitationTable
  gateway_audit: AuditTable
  gateway_assistant: AssistantTable
}
