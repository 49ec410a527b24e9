import type { Account } from '../../account/account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import type { StoredApp } from './app-rows.sql.ts'

/** Maximum lengths of the text members of an app, in characters. */
const MAX_LENGTHS = { provider_id: 200, name: 40, client_id: 191, secret: 4_096, key: 4_096 } as const

type Param = keyof typeof MAX_LENGTHS | 'provider' | 'settings'

/**
 * Checks an app entered by staff. `param` of the errors is the name of the column.
 * @param others All other apps.
 * @throws {InvalidInput} `unknown_provider`, `required`, `max_length`, `null_characters_not_allowed`, `invalid`
 */
export function cleanApp(
  core: Pick<Account, 'adapter'>,
  app: StoredApp,
  entries: readonly ProviderEntry[],
  others: readonly Pick<StoredApp, 'provider' | 'providerId'>[],
): void {
  const refuse = (code: string, param: Param, values: Readonly<Record<string, number>> = {}): InputError =>
    core.adapter.validationError(code, { param, values })
  const entry = entries.find(({ id }) => id === app.provider)
  if (entry === undefined) throw new InvalidInput([refuse('unknown_provider', 'provider')])
  const texts = {
    provider_id: app.providerId,
    name: app.name,
    client_id: app.clientId,
    secret: app.secret,
    key: app.key,
  }
  const errors = Object.entries(MAX_LENGTHS).flatMap(([name, max]) => {
    const param = name as keyof typeof MAX_LENGTHS // its own key
    if (texts[param].includes('\0')) return [refuse('null_characters_not_allowed', param)]
    return Array.from(texts[param]).length > max ? [refuse('max_length', param, { max })] : []
  })
  errors.push(...neededMembers(entry, app).map(([code, param]) => refuse(code, param)))
  if (isDuplicateApp(entry, app, others)) errors.push(refuse('invalid', 'provider_id'))
  if (appSettingProblems(app.settings, 'settings').length > 0 || JSON.stringify(app.settings).includes('\\u0000')) {
    errors.push(refuse('invalid', 'settings'))
  }
  if (errors.length > 0) throw new InvalidInput(errors)
}

function neededMembers(entry: ProviderEntry, app: StoredApp): readonly (readonly [code: string, param: Param])[] {
  const needed: (readonly [string, Param])[] = []
  if (entry.needsApp && app.clientId === '') needed.push(['required', 'client_id'])
  if (entry.protocol === 'saml' && app.clientId !== '' && !isPathSegment(app.clientId)) {
    needed.push(['invalid', 'client_id'])
  }
  if (entry.protocol === 'oidc') {
    if (app.providerId === '') needed.push(['required', 'provider_id'])
    else if (!isPathSegment(app.providerId)) needed.push(['invalid', 'provider_id'])
    if (typeof app.settings['server_url'] !== 'string') needed.push(['invalid', 'settings'])
  }
  return needed
}

/** Returns whether another provider has the app's ID. It must be unique, because users' links are stored under it. */
function isDuplicateApp(
  { protocol }: ProviderEntry,
  app: StoredApp,
  others: readonly Pick<StoredApp, 'provider' | 'providerId'>[],
): boolean {
  const id = app.providerId || app.provider
  // Several apps of one provider have the same users; two SAML organizations don't.
  const mayShare = (other: Pick<StoredApp, 'providerId'>): boolean =>
    protocol !== 'saml' && app.providerId === '' && other.providerId === ''
  return others.some((other) => (other.providerId || other.provider) === id && !mayShare(other))
}

/** Returns whether a text can be a path segment as it is, except `.` and `..`. @see RFC 3986 section 2.3 */
export const isPathSegment = (text: string): boolean => /^[A-Za-z0-9_.~-]{1,191}$/.test(text) && !/^\.{1,2}$/.test(text)

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
/** Returns whether a value is an http(s) URL, not one with a scheme that runs code, such as `javascript:`. */
const isWebUrl = (value: unknown): boolean =>
  typeof value === 'string' && ['https:', 'http:'].includes(URL.parse(value)?.protocol ?? '')
/** Returns whether a value is or contains a URL that runs code when it's opened. */
function hasScriptUrl(value: unknown): boolean {
  if (typeof value === 'string') return ['javascript:', 'vbscript:', 'data:'].includes(URL.parse(value)?.protocol ?? '')
  return typeof value === 'object' && value !== null && Object.values(value).some(hasScriptUrl)
}
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

/** Rules by lower-case setting name: check and message. */
const RULES: Readonly<Record<string, readonly [is: (value: unknown) => boolean, said: string]>> = {
  scope: [(value) => typeof value === 'string' || isTexts(value), 'must be a list of scopes.'],
  auth_params: [isRecord, 'must be an object.'],
  oauth_pkce_enabled: [isFlag, 'must be true or false.'],
  verified_email: [(value) => isFlag(value) || isTexts(value), 'must be true, false or a list of domains.'],
  email_authentication: [isFlag, 'must be true or false.'],
  hidden: [isFlag, 'must be true or false.'],
  endpoints: [isRecord, 'must be an object.'],
  server_url: [isWebUrl, 'must be an address.'],
  uid_field: [(value) => typeof value === 'string', 'must be text.'],
}

/** Returns the problems with the settings that all providers have, as sentences that name the path. */
export function appSettingProblems(settings: JsonObject, path: string): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (hasScriptUrl(value)) return [`${path}.${name} must not contain a script.`]
    const rule = RULES[name.toLowerCase()]
    if (rule === undefined || value === null || rule[0](value)) return []
    return [`${path}.${name} ${rule[1]}`]
  })
}
