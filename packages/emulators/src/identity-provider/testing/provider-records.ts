import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a client must know of a provider, as established from its documents; braces mark values of settings. */
export interface ProviderRecord {
  readonly id: string
  readonly protocol: 'oauth2' | 'oauth1' | 'oidc' | 'openid2' | 'saml' | 'custom'
  readonly authorize_url: string | null
  readonly request_token_url: string | null
  readonly token_url: string | null
  readonly profile_url: string | null
  readonly profile_method: 'GET' | 'POST' | null
  readonly profile_root: string | null
  readonly profile_token_transport: string
  readonly email_url: string | null
  readonly jwks_url: string | null
  readonly id_token_issuer: string | null
  readonly token_method: 'GET' | 'POST' | null
  readonly client_auth: string | null
  readonly client_id_param: string | null
  readonly scope_delimiter: string | null
  readonly default_scopes: readonly string[]
  readonly scopes_added_when_email_wanted: readonly string[]
  readonly pkce_default: boolean
  readonly authorize_params: Readonly<Record<string, string>>
  /** Paths in the profile; texts of people may follow them. */
  readonly uid: string
  readonly email: string | null
  readonly email_verified: string | boolean | null
  readonly username: string | null
  readonly display_name: string | null
  readonly first_name: string | null
  readonly last_name: string | null
}

/** All providers. */
export const providerRecords: readonly ProviderRecord[] = readFileSync(
  join(import.meta.dirname, 'provider-records.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ProviderRecord) // our own file
