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
/** Characters of an address (RFC 3986) and the wildcard of ours. */
const ADDRESS = /^[!-~]+$/
/** Named after a domain that somebody owns, so that no other program has it by chance. @see RFC 8252 section 7.1 */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** Names and addresses, and none of what a header could take for something else; apps have none. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.*-]*)$/i
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

type Checked = Omit<OidcClient, 'id' | 'createdAtMs'>

/** Rules for clients beyond their own members. */
export interface ClientRules {
  /** Scopes that the adapter knows. */
  readonly scopes: ReadonlySet<string>
  readonly validationError: AccountAdapter['validationError']
  /** What is changed; `null`: a new one. */
  readonly before: Checked | null
}

/**
 * Checks a client's input; of an update only the changes and what depends on them: lines of an old site's rows stay
 * valid, even if a form sends them again.
 * @param client The complete client after the change.
 * @throws {InvalidInput} with the names of the members as `param`
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
  if (errors.length > 0) throw new InvalidInput(errors)
}

/**
 * Returns whether a client type may use a grant. Without a secret anyone could act as the client (RFC 6749 section
 * 4.4). A device can't keep a secret; a confidential client is a server used through a browser.
 */
export const isGrantAllowed = (type: ClientType, grant: GrantType): boolean =>
  grant !== (type === 'public' ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:device_code')

type Lists = 'scopes' | 'defaultScopes' | 'grantTypes' | 'responseTypes' | Addresses
type Addresses = 'redirectUris' | 'postLogoutRedirectUris' | 'corsOrigins'

/** By list: another member by which it can become wrong. */
const DEPENDS: Partial<Record<Lists, keyof OidcClientInput>> = {
  defaultScopes: 'scopes',
  redirectUris: 'allowUriWildcards',
  corsOrigins: 'allowUriWildcards',
}
/** Whether a line was there already, and nothing that it depends on is another. */
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
 * Where a browser may be sent with an answer: https, http on this very machine, or a scheme of an app. Absolute,
 * without a fragment. @see RFC 9700 section 2.1, RFC 8252 section 7
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

/** In the host, and not in its last two labels: `https://*.example.org`, `https://pr-*.example.org`. */
function hasOneWildcard(uri: string): boolean {
  const [, host = ''] = /^https?:\/\/([^/?:]+)/i.exec(uri) ?? []
  return uri.split('*').length === 2 && /\*[^.]*\.[^.]+\.[^.]+/.test(host)
}

/** As browsers send it in `Origin` (RFC 6454 section 7), with the wildcard of ours. */
function isOriginLine(origin: string, allowsWildcard: boolean): boolean {
  return isRedirectUri(origin, allowsWildcard) && /^https?:\/\/[^/?]+$/i.test(origin)
}
