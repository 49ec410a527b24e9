import type { ColumnType, Generated } from 'kysely'

/** A boolean. SQLite returns 0 or 1, PostgreSQL a boolean: read it with `isTrue`. */
type Bool = ColumnType<boolean | number, boolean, boolean>
/** A time, which the databases store differently: read it with `parseTime`, write it with `timeText`. */
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
    /** JSON: read it with `parseJsonColumn`, write it as text. */
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
    /** JSON, as in `mfa_authenticator`. */
    data: ColumnType<unknown, string, string>
    user_id: Id
  }
  django_site: { id: Generated<number>; domain: string; name: string }
  /** Our own table: sessions that have a user or data. */
  gatepost_session: {
    /** SHA-256 of the token. */
    token_hash: Uint8Array
    /** Shown in lists of sessions. Not derived from the token. */
    id: string
    user_id: string | null
    /** Fingerprint of the password at login. */
    fingerprint: string | null
    authenticated_at_ms: number | null
    created_at_ms: number
    seen_at_ms: number
    expires_at_ms: number
    persistent: number
    ip: string | null
    user_agent: string
    version: number
    /** Sealed JSON; `null` if empty. */
    data: string | null
  }
  /** Our own table: rate limits. `stamps` are the timestamps of one rate and subject as JSON, newest first. */
  gatepost_rate: { key: string; stamps: string; expires_at_ms: number }
  /** Our own table: queued mail. */
  gatepost_mail: {
    id: string
    /** Sealed `MailMessage`. */
    message: string
    attempts: number
    due_at_ms: number
    created_at_ms: number
    claimed_until_ms: number | null
  }
  socialaccount_socialaccount: {
    id: Generated<number>
    provider: string
    uid: string
    last_login: Time
    date_joined: Time
    /** JSON, as in `mfa_authenticator`. */
    extra_data: ColumnType<unknown, string, string>
    user_id: Id
  }
  socialaccount_socialapp: {
    id: Generated<number>
    provider: string
    name: string
    client_id: string
    secret: string
    key: string
    provider_id: string
    /** JSON, as in `mfa_authenticator`. */
    settings: ColumnType<unknown, string, string>
  }
  socialaccount_socialapp_sites: { id: Generated<number>; socialapp_id: number; site_id: number }
  socialaccount_socialtoken: {
    id: Generated<number>
    token: string
    token_secret: string
    expires_at: NullableTime
    account_id: number
    app_id: number | null
  }
  allauth_idp_oidc_client: {
    id: string
    name: string
    secret: string
    /** One per line, like `grant_types` and the other lists. */
    scopes: string
    type: string
    grant_types: string
    redirect_uris: string
    cors_origins: string
    response_types: string
    skip_consent: Bool
    created_at: Time
    data: ColumnType<unknown, string | null, string | null>
    owner_id: Id | null
    default_scopes: string
    allow_uri_wildcards: Bool
  }
  allauth_idp_oidc_token: {
    id: Generated<number>
    type: string
    hash: string
    data: ColumnType<unknown, string | null, string | null>
    created_at: Time
    expires_at: NullableTime
    /** One per line. */
    scopes: string
    client_id: string | null
    user_id: Id | null
  }
  /** Our own table: data with an expiry, see `artifacts/`. */
  gatepost_artifact: {
    /** The kind and the SHA-256 of the ID. */
    key: string
    lookup: string | null
    grant_id: string | null
    /** Sealed JSON. */
    payload: string
    consumed_at_ms: number | null
    expires_at_ms: number
  }
  /** Our own table: phone numbers. */
  gatepost_phone: { user_id: string; phone: string; verified: number }
  /**
   * Our own table: usernames and email addresses that aren't ASCII, as `foldCase` writes them. `field` is a
   * `FoldedField`, and `key` the row's key.
   */
  gatepost_folded: { field: string; key: string; folded: string }
  /** Our own table: the state of the database, by name. */
  gatepost_state: { name: string; value: string }
}
