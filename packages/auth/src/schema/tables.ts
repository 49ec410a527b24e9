import type { ColumnType, Generated } from 'kysely'

/** SQLite answers 0 or 1, PostgreSQL a boolean: read it with `isTrue`. */
type Bool = ColumnType<boolean | number, boolean, boolean>
/** Read with `timeOf`, written with `timeText`: the databases keep times differently. */
type Time = ColumnType<Date | string, string, string>
type NullableTime = ColumnType<Date | string | null, string | null, string | null>
type Id = number | string

/** The physical tables of an account database; the user table's names are settings (`settings.userTable`). */
export interface AuthTables {
  auth_user: {
    id: Generated<Id>
    password: string
    last_login: NullableTime
    is_superuser: Bool
    username: string
    first_name: string
    last_name: string
    email: string
    is_staff: Bool
    is_active: Bool
    date_joined: Time
  }
  account_emailaddress: { id: Generated<number>; email: string; verified: Bool; primary: Bool; user_id: Id }
  account_emailconfirmation: {
    id: Generated<number>
    created: Time
    sent: NullableTime
    key: string
    email_address_id: number
  }
  mfa_authenticator: {
    id: Generated<number>
    type: string
    /** Read with `jsonOf`, written as text. */
    data: ColumnType<unknown, string, string>
    user_id: Id
    created_at: Time
    last_used_at: NullableTime
  }
  usersessions_usersession: {
    id: Generated<number>
    created_at: Time
    ip: string
    last_seen_at: Time
    session_key: string
    user_agent: string
    /** As of `mfa_authenticator`. */
    data: ColumnType<unknown, string, string>
    user_id: Id
  }
  django_site: { id: Generated<number>; domain: string; name: string }
  /** Ours. One row per visitor who has something to remember. */
  gatepost_session: {
    /** SHA-256 of the token. */
    token_hash: Uint8Array
    /** Shown in lists; not derived from the token. */
    id: string
    user_id: string | null
    /** Of the password when signed in. */
    fingerprint: string | null
    authenticated_at_ms: number | null
    created_at_ms: number
    seen_at_ms: number
    expires_at_ms: number
    persistent: number
    ip: string | null
    user_agent: string
    version: number
    /** Sealed JSON; `null`: empty. */
    data: string | null
  }
  /** Ours. Time stamps of one rate and subject, newest first, as JSON. */
  gatepost_rate: { key: string; stamps: string; expires_at_ms: number }
  /** Ours. Mail that waits. */
  gatepost_mail: {
    id: string
    /** Sealed `MailMessage`. */
    message: string
    attempts: number
    due_at_ms: number
    created_at_ms: number
    claimed_until_ms: number | null
  }
  /** Ours. */
  gatepost_phone: { user_id: string; phone: string; verified: number }
}
