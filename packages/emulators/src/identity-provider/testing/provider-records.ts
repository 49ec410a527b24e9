import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a client must know about a provider, from its documentation; braces mark settings. */
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
  /** Paths in the profile, optionally followed by remarks. */
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

/** Returns the value at a path such as `data.users[0].id` or `users[]` (the last one), or `undefined`. */
export function readPath(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.match(/[^.[\]]+|\[\]/g) ?? []) {
    if (typeof found !== 'object' || found === null) return undefined
    const members = found as Readonly<Record<string, unknown>> // any object has members
    found = step === '[]' ? Object.values(members).at(-1) : members[step]
  }
  return found
}

/** Returns one part of a sum: a quoted text or the value at a path. */
function readPart(profile: unknown, part: string): string | null {
  const quoted = /^"(.*)"$/.exec(part)?.[1]
  if (quoted !== undefined) return quoted
  const lowered = /^lower\((.*)\)$/.exec(part)?.[1]
  if (lowered !== undefined) return readPart(profile, lowered)?.toLowerCase() ?? null
  const value = readPath(profile, part)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** Evaluates an expression of a record: alternatives in order, sums, remarks in brackets. */
export function readText(profile: unknown, expression: string | null): string | null {
  if (expression === null) return null
  for (const alternative of expression.replaceAll(/ ?\((?!\w+\)).*?\)/g, '').split(/, else | or /)) {
    const parts = alternative
      .trim()
      .split(/ ?\+ ?(?![^"]*"(?:[^"]*"[^"]*")*[^"]*$)/)
      .map((part) => readPart(profile, part))
    if (parts.every((part) => part !== null) && parts.join('') !== '') return parts.join('')
  }
  return null
}
