import { primaryClientId, readSettingText, recordValues, type RecordValues } from './values.ts'
import { createHash } from 'node:crypto'
import { readAppOption, resolveAuthParams, resolveEndpoint, resolveScopes } from '../apps/app-options.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { ExchangeBegun, ExchangeCall, ExchangeStart } from '../exchange.ts'
import type { OAuth2Record, Template, RecordVariant } from './record.ts'

/** Data kept until the end of a handshake. */
export interface Kept {
  /** PKCE verifier; absent if PKCE is off. */
  readonly verifier?: string
  readonly nonce?: string
  readonly scopes: readonly string[]
  /** Parameters of the initial request that a provider needs. */
  readonly query: Readonly<Record<string, string>>
}

/** URLs of a provider that an operator can override, and their names in `endpoints`. */
const ENDPOINTS = {
  authorize: 'authorize_url',
  token: 'token_url',
  profile: 'profile_url',
  email: 'email_url',
  jwks: 'jwks_url',
  issuer: 'issuer',
} as const

/** Returns the app's endpoint or the record's; `undefined` if there is none. @throws {ProviderError} `unknown` */
export function endpoint(record: OAuth2Record, call: ExchangeCall, name: keyof typeof ENDPOINTS): Template | undefined {
  const address = resolveEndpoint(call.app, ENDPOINTS[name], record.endpoints[name] ?? '')
  return address === '' ? undefined : address
}

/** Returns the callback URL as registered with the provider. */
export const resolveRedirectUri = (record: OAuth2Record, call: ExchangeCall): string =>
  record.forcesHttpsCallback === true ? call.redirectUri.replace(/^http:/, 'https:') : call.redirectUri

/** Creates the authorization request. @throws {ProviderError} @see RFC 6749 section 4.1.1, RFC 7636 section 4.3 */
export function beginOAuth2(data: OAuth2Record, call: ExchangeCall, start: ExchangeStart): ExchangeBegun {
  const record = recordFor(data, call.app)
  const query = readQuery(record, start)
  const values = recordValues(record, call, query)
  const scopes = chooseScopes(record, call, start)
  const verifier = usesPkce(record, call) ? call.io.random(32).toString('base64url') : undefined
  const nonce = record.idToken?.nonce === true ? call.io.random(24).toString('base64url') : undefined
  const own = ownParams(record, call, start, { scopes, verifier, nonce })
  const params = { ...extraParams(record, call, start, values, own), ...own }
  const url = new URL(values.address(endpoint(record, call, 'authorize') ?? ''))
  const present = Object.entries(params).filter(([, value]) => value !== '')
  // Sorted, and with %20 for spaces, because some providers require it.
  const text = present
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${encodeQueryText(name)}=${encodeQueryText(value)}`)
  url.search = [url.search.slice(1), ...text].filter((part) => part !== '').join('&')
  const kept: Kept = {
    scopes,
    query,
    ...(verifier !== undefined && { verifier }),
    ...(nonce !== undefined && { nonce }),
  }
  return { url: url.href, kept: { ...kept } }
}

/** Replaces lone surrogates, which would throw. */
const encodeQueryText = (text: string): string => encodeURIComponent(text.toWellFormed())

function ownParams(
  record: OAuth2Record,
  call: ExchangeCall,
  start: ExchangeStart,
  made: {
    readonly scopes: readonly string[]
    readonly verifier: string | undefined
    readonly nonce: string | undefined
  },
): Readonly<Record<string, string>> {
  const names = { client_id: 'client_id', redirect_uri: 'redirect_uri', ...record.authorize?.names }
  const { scopes, verifier, nonce } = made
  const written = scopes.map((scope) => record.scopeNames?.[scope] ?? scope)
  return {
    ...(names.client_id !== null && { [names.client_id]: primaryClientId(call.app) }),
    ...(names.redirect_uri !== null && { [names.redirect_uri]: resolveRedirectUri(record, call) }),
    scope: written.join(record.scopeDelimiter ?? ' '),
    response_type: record.authorize?.responseType ?? 'code',
    ...(record.authorize?.responseMode !== undefined && { response_mode: record.authorize.responseMode }),
    state: start.state,
    ...(verifier !== undefined && {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
    ...(nonce !== undefined && { nonce }),
  }
}

/** Returns the other parameters: of the record, settings, request, and action; later ones win. */
function extraParams(
  record: OAuth2Record,
  call: ExchangeCall,
  start: ExchangeStart,
  values: RecordValues,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const fixed = Object.entries(record.authorize?.params ?? {}).map(
    ([name, value]) => [name, values.text(value)] as const,
  )
  const action =
    start.action === 'reauthenticate' ? record.reauthenticate : start.action === 'rerequest' ? record.rerequest : {}
  const given = { ...resolveAuthParams(call.app, Object.fromEntries(fixed), start), ...action }
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(own, name)))
}

function chooseScopes(record: OAuth2Record, call: ExchangeCall, start: ExchangeStart): readonly string[] {
  const defaults = [
    ...(record.scopes ?? []),
    ...(call.queryEmail ? (record.emailScopes ?? []) : []),
    ...(call.storeTokens ? (record.tokenScopes ?? []) : []),
  ]
  return [...new Set([...(record.requiredScopes ?? []), ...resolveScopes(call.app, defaults, start)])]
}

function usesPkce(record: OAuth2Record, call: ExchangeCall): boolean {
  const set = readAppOption(call.app, 'oauth_pkce_enabled')
  return typeof set === 'boolean' ? set : record.pkce !== 'off'
}

function readQuery(record: OAuth2Record, start: ExchangeStart): Readonly<Record<string, string>> {
  const names = Object.values(record.settings ?? {}).map((rules) =>
    typeof rules === 'string' ? undefined : rules.query,
  )
  const wanted = new Set(names.filter((name) => name !== undefined))
  const given = [...wanted].map((name) => [name, start.query.get(name) ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Returns the record with the variants for an app. @param scopes Requested scopes, if known yet. */
export function recordFor(record: OAuth2Record, app: SocialApp, scopes: readonly string[] = []): OAuth2Record {
  const fitting = (record.variants ?? []).filter(({ when }) => variantApplies(when, app, scopes))
  return fitting.reduce((changed, { use }) => ({ ...changed, ...use }), record)
}

const EMPTY_START: ExchangeStart = {
  state: '',
  action: 'authenticate',
  scope: [],
  authParams: {},
  query: new URLSearchParams(),
}

function variantApplies(when: RecordVariant['when'], app: SocialApp, scopes: readonly string[]): boolean {
  if ('scope' in when) return scopes.includes(when.scope)
  if ('withoutScope' in when) return !scopes.includes(when.withoutScope)
  // Only the operator's setting counts: visitors must not choose which ID identifies them.
  if ('authParam' in when)
    return resolveAuthParams(app, {}, EMPTY_START)[when.authParam]?.trim().toLowerCase() === when.is
  return readSettingText(app, when.setting).toLowerCase() === when.is
}
