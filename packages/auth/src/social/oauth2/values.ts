import { requireSafeAddress } from '../apps/app-options.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { textAt } from '../profile/profile-path.ts'
import type { OAuth2Record, RecordSetting, Template } from './record.ts'

/** Values that a record's templates can use, in addition to its settings. */
export interface ValueSources {
  readonly token?: unknown
  readonly profile?: unknown
  readonly callback?: URLSearchParams
  readonly accessToken?: string
}

/** Fills in the templates of a record. */
export interface RecordValues {
  /** Fills in a text. @throws {ProviderError} `unknown` if a value is missing */
  text(template: Template, sources?: ValueSources): string
  /** Fills in a URL, which must be https, or http on loopback. @throws {ProviderError} `unknown` */
  address(template: Template, sources?: ValueSources): string
  /** Returns a setting's value; `undefined` if unset. @throws {ProviderError} `unknown` if it isn't allowed */
  setting(name: string): string | undefined
}

const BRACES = /\{([^{}]+)\}(\/?)/g

/** Returns the values of a record. @param query Parameters of the initial request that the record reads */
export function recordValues(
  record: OAuth2Record,
  call: ExchangeCall,
  query: Readonly<Record<string, string>>,
): RecordValues {
  const setting = (name: string): string | undefined => {
    const known =
      record.settings !== undefined && Object.hasOwn(record.settings, name) ? record.settings[name] : undefined
    if (known === undefined) return undefined
    const rules: RecordSetting = typeof known === 'string' ? { default: known } : known
    const given = rules.of === undefined ? givenValue(call.app, name, rules, query) : setting(rules.of)
    const value = given === undefined ? undefined : acceptSettingValue(given, name, rules)
    if (value !== undefined)
      return rules.as === undefined ? value : rules.as.replace('{value}', () => trimTrailingSlashes(value))
    return rules.default?.replace(BRACES, (_all, inner: string, slash: string) => (setting(inner) ?? '') + slash)
  }
  const named = (name: string, sources: ValueSources): { readonly text: string; readonly foreign: boolean } | null => {
    const own = ownValue(name, call)
    if (own !== undefined) return { text: own, foreign: false }
    const text = setting(name)
    if (text !== undefined) return { text, foreign: false }
    const foreign = foreignValue(name, sources)
    return foreign === '' ? null : { text: foreign, foreign: true }
  }
  const fill = (template: Template, sources: ValueSources, encode: boolean): string =>
    template.replace(BRACES, (_all, name: string, slash: string) => {
      const value = named(name, sources)
      if (value === null) throw new ProviderError('unknown', `there is no ${name} for ${record.name}`)
      const text = encode && value.foreign ? pathSegment(value.text) : value.text
      return (slash === '' ? text : trimTrailingSlashes(text)) + slash
    })
  return {
    setting,
    text: (template, sources = {}) => fill(template, sources, false),
    address: (template, sources = {}) =>
      requireSafeAddress(fill(template, sources, true), `an address of ${record.name}`),
  }
}

/** Escapes a path segment; refuses dot segments (RFC 3986 section 5.2.4). @throws {ProviderError} `unknown` */
function pathSegment(text: string): string {
  if (/^\.{1,2}$/.test(text)) throw new ProviderError('unknown', 'an id in an address is none')
  return encodeURIComponent(text.toWellFormed())
}

/** Removes trailing slashes, because settings are written with and without. */
const trimTrailingSlashes = (text: string): string => text.replace(/\/+$/, '')

function givenValue(
  app: SocialApp,
  name: string,
  rules: RecordSetting,
  query: Readonly<Record<string, string>>,
): string | undefined {
  const asked = rules.query !== undefined && Object.hasOwn(query, rules.query) ? query[rules.query] : undefined
  const fromQuery = asked === undefined || isChoice(asked, rules) ? asked : undefined
  if (fromQuery !== undefined || rules.setting === null) return fromQuery
  const text = readSettingText(app, rules.setting ?? name)
  return text === '' ? undefined : text
}

/** Returns a setting of the app or the provider as text; lists are joined by commas. Empty if unset. */
export function readSettingText(app: SocialApp, name: string): string {
  const lower = name.toLowerCase()
  const value = app.settings[lower] ?? app.settings[name] ?? app.providerSettings[name] ?? app.providerSettings[lower]
  return Array.isArray(value) ? value.join(',') : toPlainText(value)
}

const toPlainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const isChoice = (value: string, rules: RecordSetting): boolean =>
  rules.choices === undefined || Object.hasOwn(rules.choices, value.toLowerCase())

function acceptSettingValue(given: string, name: string, rules: RecordSetting): string | undefined {
  if (rules.choices !== undefined) return isChoice(given, rules) ? rules.choices[given.toLowerCase()] : undefined
  const value = rules.domain === undefined || given.includes('.') ? given : given + rules.domain
  if (rules.pattern?.test(value) !== false) return value
  throw new ProviderError('unknown', `${name} is not what it must be`)
}

function ownValue(name: string, call: ExchangeCall): string | undefined {
  switch (name) {
    case 'client_id':
      return primaryClientId(call.app)
    case 'client_secret':
      return call.app.secret
    case 'app_key':
      return call.app.key
    case 'app_name':
      return call.app.name
    case 'redirect_uri':
      return call.redirectUri
    default:
      return undefined
  }
}

function foreignValue(name: string, sources: ValueSources): string {
  if (name === 'access_token') return sources.accessToken ?? ''
  const [source, ...rest] = name.split('.')
  if (source === 'token') return textAt(sources.token, rest.join('.'))
  if (source === 'profile') return textAt(sources.profile, rest.join('.'))
  if (source === 'callback') return sources.callback?.get(rest.join('.')) ?? ''
  return textAt(sources.token, name) // in URLs that an operator configured
}

/** Returns the client IDs of an app: several, separated by commas, if native apps have their own (Apple, Google). */
export const parseClientIds = (app: SocialApp): readonly string[] =>
  app.clientId
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')

/** Returns the client ID for redirects: the first. */
export const primaryClientId = (app: SocialApp): string => parseClientIds(app)[0] ?? ''
