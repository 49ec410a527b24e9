import type { AccountAdapter } from '../account/adapter.ts'
import { type InputError, InvalidInput } from '../errors.ts'
import type { ClientType, GrantType, OidcClient, OidcClientInput, ResponseType } from './clients.ts'

/** The types of OAuth clients. */
export const CLIENT_TYPES = ['confidential', 'public'] as const satisfies readonly ClientType[]
/** The grant types that a client can be allowed. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const satisfies readonly GrantType[]
/** The response types that a client can be allowed. */
export const RESPONSE_TYPES = ['code', 'id_token', 'id_token token'] as const satisfies readonly ResponseType[]

const LONGEST_NAME = 100
const LONGEST_URI = 2_000
const MOST_LINES = 100
/** The characters of a URI (RFC 3986), including our wildcard. */
const ADDRESS = /^[!-~]+$/
/** A reversed domain name, so that apps don't use the same scheme by chance. @see RFC 8252 section 7.1 */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** Host names and IP addresses, without characters that have a meaning in a header. Empty for custom schemes. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.*-]*)$/i
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

type Checked = Omit<OidcClient, 'id' | 'createdAtMs'>

/** The context in which a client is checked. */
export interface ClientRules {
  /** The scopes that the adapter defines. */
  readonly scopes: ReadonlySet<string>
  /** Scopes that need consent. */
  readonly consentScopes: readonly string[]
  readonly validationError: AccountAdapter['validationError']
  /** The client before the change; `null` for a new one. */
  readonly before: Checked | null
}

/**
 * Checks a client's input. In an update, checks only the changes and what depends on them, so that the existing values
 * of a migrated site's clients stay valid, even if a form sends them again.
 * @param client The complete client after the change.
 * @throws {InvalidInput} with the member's name as `param`
 */
export function checkClient(client: Checked, given: OidcClientInput, rules: ClientRules): void {
  const wrong = (code: string, param: string, values?: Record<string, number>): InputError =>
    rules.validationError(code, { param, ...(values === undefined ? {} : { values }) })
  const errors = [
    ...('name' in given ? nameErrors(client.name, wrong) : []),
    ...listRules(client, rules).flatMap(([param, isRight]) => {
      if (!(param in given) && !(DEPENDS[param] !== undefined && DEPENDS[param] in given)) return []
      const lines = client[param]
      if (lines.length > MOST_LINES) return [wrong('invalid_list', param)]
      return lines.every((line) => isRight(line) || isUnchangedLine(rules.before, client, param, line))
        ? []
        : [wrong(errorCodeForParam(param), param)]
    }),
    ...('type' in given && !CLIENT_TYPES.includes(client.type) ? [wrong('invalid_choice', 'type')] : []),
    ...(('type' in given || 'grantTypes' in given) &&
    !client.grantTypes.every((grant) => isGrantAllowed(client.type, grant))
      ? [wrong('invalid_choice', 'grantTypes')]
      : []),
  ]
  const needsConsent = client.skipConsent && client.scopes.some((scope) => rules.consentScopes.includes(scope))
  if (needsConsent) errors.push(wrong('invalid_choice', 'skipConsent' in given ? 'skipConsent' : 'scopes'))
  if (errors.length > 0) throw new InvalidInput(errors)
}

/**
 * Returns whether a client type may use a grant. Public clients can't use client credentials, because anyone could act
 * as a client without a secret (RFC 6749 section 4.4). Confidential clients can't use device codes, because a device
 * can't keep a secret.
 */
export const isGrantAllowed = (type: ClientType, grant: GrantType): boolean =>
  grant !== (type === 'public' ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:device_code')

type Lists = 'scopes' | 'defaultScopes' | 'grantTypes' | 'responseTypes' | Addresses
type Addresses = 'redirectUris' | 'postLogoutRedirectUris' | 'corsOrigins'

/** The member that each list depends on. If it changes, the list is checked again. */
const DEPENDS: Partial<Record<Lists, keyof OidcClientInput>> = {
  defaultScopes: 'scopes',
  redirectUris: 'allowUriWildcards',
  corsOrigins: 'allowUriWildcards',
}
/** Returns whether a line existed before, and is still valid. */
const isUnchangedLine = (before: Checked | null, client: Checked, param: Lists, line: string): boolean =>
  before !== null &&
  param !== 'defaultScopes' &&
  before[param].some((own) => own === line) &&
  (client.allowUriWildcards || !line.includes('*'))

const ADDRESS_LISTS: ReadonlySet<string> = new Set(['redirectUris', 'postLogoutRedirectUris', 'corsOrigins'])
const errorCodeForParam = (param: Lists): string => (ADDRESS_LISTS.has(param) ? 'invalid' : 'invalid_choice')

function listRules(client: Checked, rules: ClientRules): readonly (readonly [Lists, (line: string) => boolean])[] {
  const { allowUriWildcards, scopes } = client
  return [
    ['scopes', (scope) => rules.scopes.has(scope)],
    ['defaultScopes', (scope) => scopes.includes(scope)],
    ['grantTypes', (grant) => GRANT_TYPES.some((known) => known === grant)],
    ['responseTypes', (type) => RESPONSE_TYPES.some((known) => known === type)],
    ['redirectUris', (uri) => isRedirectUri(uri, allowUriWildcards)],
    ['postLogoutRedirectUris', (uri) => isRedirectUri(uri, false)],
    ['corsOrigins', (origin) => isOriginLine(origin, allowUriWildcards)],
  ]
}

function nameErrors(name: string, wrong: (code: string, param: string, values?: Record<string, number>) => InputError) {
  if (name.trim() === '') return [wrong('required', 'name')]
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return [wrong('invalid', 'name')]
  return Array.from(name).length > LONGEST_NAME ? [wrong('max_length', 'name', { max: LONGEST_NAME })] : []
}

/**
 * Returns whether a URI can be registered as a redirect URI: HTTPS, HTTP on a loopback host, or an app's custom scheme.
 * It must be absolute and have no fragment. @see RFC 9700 section 2.1, RFC 8252 section 7
 */
export function isRedirectUri(uri: string, allowsWildcard: boolean): boolean {
  if (!ADDRESS.test(uri) || uri.length > LONGEST_URI || /[#\\]/.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '' || !HOST.test(hostname)) return false
  if (uri.includes('*') && !(allowsWildcard && hasOneWildcard(uri))) return false
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(uri)
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(uri) && LOOPBACK.has(hostname)
  return PRIVATE_SCHEME.test(protocol)
}

/**
 * Returns whether the only wildcard is in the host and not in its last two labels, such as `https://*.example.org` or
 * `https://pr-*.example.org`.
 */
function hasOneWildcard(uri: string): boolean {
  const [, host = ''] = /^https?:\/\/([^/?:]+)/i.exec(uri) ?? []
  return uri.split('*').length === 2 && /\*[^.]*\.[^.]+\.[^.]+/.test(host)
}

/** Returns whether a text is an origin as browsers send it (RFC 6454 section 7), optionally with a wildcard. */
function isOriginLine(origin: string, allowsWildcard: boolean): boolean {
  return isRedirectUri(origin, allowsWildcard) && /^https?:\/\/[^/?]+$/i.test(origin)
}
