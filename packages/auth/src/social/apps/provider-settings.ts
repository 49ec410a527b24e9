import { AuthError } from '../../errors.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { nearestName } from '../../kernel/settings/setting.ts'
import { appSettingProblems, isPathSegment } from './clean-app.ts'
import { parseOpenidServer } from '../openid2/record.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import type { SocialApp } from './social-apps.ts'

/** The parsed `SOCIALACCOUNT_PROVIDERS`. */
export interface ProviderSettings {
  readonly apps: readonly SocialApp[]
  /** Settings by provider ID, without their apps. */
  readonly settingsByProvider: ReadonlyMap<string, JsonObject>
  /** Sentences about deprecated and unknown members, without secrets. */
  readonly warnings: readonly string[]
}

/** Collects problems and warnings while reading. */
interface Reader {
  readonly problems: string[]
  readonly warnings: string[]
}

const SETTING = 'SOCIALACCOUNT_PROVIDERS'
const APP_KEYS = ['APP', 'APPS']
const SERVERS = 'SERVERS'
const KEYS = [
  ...APP_KEYS,
  SERVERS,
  'SCOPE',
  'AUTH_PARAMS',
  'OAUTH_PKCE_ENABLED',
  'VERIFIED_EMAIL',
  'EMAIL_AUTHENTICATION',
]
const APP_MEMBERS = ['client_id', 'secret', 'key', 'name', 'provider_id', 'settings', 'certificate_key']

/**
 * Reads and checks the setting.
 * @throws {AuthError} `settings_invalid`, naming every problem by its path, never a value
 */
export function readProviderSettings(
  given: JsonObject,
  entries: readonly ProviderEntry[],
  { development }: { readonly development: boolean },
): ProviderSettings {
  const reader: Reader = { problems: [], warnings: [] }
  const apps: SocialApp[] = []
  const settingsOf = new Map<string, JsonObject>()
  for (const [id, config] of Object.entries(given)) {
    const entry = entries.find((known) => known.id === id)
    if (entry === undefined) refuseUnknown(reader, id, entries)
    else if (entry.forDevelopment === true && !development) {
      reader.problems.push(`${SETTING}.${id} is for GATEPOST_DEVELOPMENT only: it believes everything.`)
    } else if (isRecord(config)) {
      const settings = readProviderOptions(reader, entry, config)
      settingsOf.set(id, settings)
      const own = readProviderApps(reader, entry, config).map(({ path, app }) =>
        readApp(reader, entry, path, app, settings),
      )
      checkProviderIds(reader, entry, own)
      apps.push(...own)
    }
  }
  checkUniqueProviderIds(reader, apps, settingsOf)
  const { problems, warnings } = reader
  if (problems.length > 0) {
    throw new AuthError('settings_invalid', { message: problems.join(' '), details: { problems: problems.length } })
  }
  return { apps, settingsByProvider: settingsOf, warnings }
}

function refuseUnknown({ problems }: Reader, id: string, entries: readonly ProviderEntry[]): void {
  const nearest = nearestName(
    id.toLowerCase(),
    entries.map((entry) => entry.id),
  )
  const hint = nearest === null ? '.' : `; did you mean ${nearest}?`
  problems.push(`${SETTING}.${id.slice(0, 80)}: there is no such provider${hint}`)
}

function readProviderOptions(reader: Reader, entry: ProviderEntry, config: JsonObject): JsonObject {
  const path = `${SETTING}.${entry.id}`
  const ofApps = entry.id === 'openid' ? APP_KEYS : [...APP_KEYS, SERVERS]
  const own = Object.fromEntries(Object.entries(config).filter(([key]) => !ofApps.includes(key)))
  for (const key of Object.keys(own)) {
    if (!KEYS.includes(key) && KEYS.includes(key.toUpperCase())) {
      reader.problems.push(`${path}.${key}: write ${key.toUpperCase()}.`)
    }
  }
  const common = Object.entries(own).filter(([key]) => KEYS.includes(key))
  reader.problems.push(...appSettingProblems(Object.fromEntries(common), path))
  return own
}

/** An app as written in the setting, and its path. */
interface WrittenApp {
  readonly path: string
  readonly app: unknown
}

function readProviderApps(reader: Reader, entry: ProviderEntry, config: JsonObject): readonly WrittenApp[] {
  const path = `${SETTING}.${entry.id}`
  const { APP: one, APPS: several, [SERVERS]: servers } = config
  if (entry.id === 'openid') checkBrands(reader, `${path}.${SERVERS}`, servers)
  else if (servers !== undefined && several === undefined) return readLegacyServers(reader, entry, path, servers)
  if (several !== undefined) {
    if (Array.isArray(several)) return several.map((app: unknown, at) => ({ path: `${path}.APPS.${at}`, app }))
    reader.problems.push(`${path}.APPS must be a list of objects.`)
    return []
  }
  if (one !== undefined) return [{ path: `${path}.APP`, app: one }]
  return entry.needsApp ? [] : [{ path, app: {} }]
}

/** Checks the OpenID 2.0 providers that have their own button. */
function checkBrands({ problems }: Reader, path: string, servers: unknown = []): void {
  if (!Array.isArray(servers)) problems.push(`${path} must be a list.`)
  else if (servers.some((server) => parseOpenidServer(server) === null))
    problems.push(`${path}: each needs an openid_url.`)
}

/** Reads the legacy form of several OpenID Connect apps. */
function readLegacyServers(
  reader: Reader,
  entry: ProviderEntry,
  path: string,
  servers: unknown,
): readonly WrittenApp[] {
  if (entry.protocol !== 'oidc' || !Array.isArray(servers)) {
    reader.problems.push(
      entry.protocol === 'oidc' ? `${path}.SERVERS must be a list.` : `${path}.SERVERS is not for it.`,
    )
    return []
  }
  reader.warnings.push(`${path}.SERVERS: old. Write ${path}.APPS instead.`)
  return servers.map((server: unknown, at) => {
    const { id, name, server_url, token_auth_method, APP } = isRecord(server) ? server : {}
    const app = isRecord(APP) ? APP : {}
    const settings = {
      ...(isRecord(app['settings']) ? app['settings'] : {}),
      ...(server_url === undefined ? {} : { server_url }),
      ...(token_auth_method === undefined ? {} : { token_auth_method }),
    }
    const named = { ...(name === undefined ? {} : { name }), ...(id === undefined ? {} : { provider_id: id }) }
    return { path: `${path}.SERVERS.${at}`, app: { ...app, ...named, settings } }
  })
}

function readApp(
  reader: Reader,
  entry: ProviderEntry,
  path: string,
  written: unknown,
  providerSettings: JsonObject,
): SocialApp {
  const given = isRecord(written) ? written : {}
  const text = (member: string): string => readAppText(reader, `${path}.${member}`, given[member])
  if (!isRecord(written)) reader.problems.push(`${path} must be an object.`)
  for (const member of Object.keys(given)) {
    if (APP_MEMBERS.includes(member)) continue
    const nearest = nearestName(member.toLowerCase(), APP_MEMBERS)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    reader.warnings.push(`${path}.${member.slice(0, 80)} is not known, and is left alone.${hint}`)
  }
  const app: SocialApp = {
    id: null,
    provider: entry.id,
    providerId: text('provider_id'),
    name: text('name'),
    clientId: text('client_id'),
    secret: text('secret'),
    key: text('key'),
    settings: readAppSettings(reader, path, given),
    providerSettings,
  }
  if (entry.needsApp && app.clientId === '') reader.problems.push(`${path}.client_id is missing.`)
  reader.problems.push(
    ...appSettingProblems(app.settings, `${path}.settings`),
    ...subProviderProblems(entry, path, app),
  )
  return app
}

function readAppSettings({ problems, warnings }: Reader, path: string, given: JsonObject): JsonObject {
  const { settings = {}, certificate_key } = given
  if (!isRecord(settings)) {
    problems.push(`${path}.settings must be an object.`)
    return {}
  }
  if (certificate_key === undefined) return settings
  warnings.push(`${path}.certificate_key: old. Write it in ${path}.settings instead.`)
  return { certificate_key, ...settings }
}

/** Reads a text member. Some providers have numbers as client IDs. */
function readAppText({ problems }: Reader, path: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  problems.push(`${path} must be text.`)
  return ''
}

/** Returns the problems of a sub-provider, whose ID is part of our URLs and of users' links. */
function subProviderProblems(entry: ProviderEntry, path: string, app: SocialApp): readonly string[] {
  const tooLong = app.providerId.length > 200 ? [`${path}.provider_id must have at most 200 characters.`] : []
  if (entry.protocol === 'oidc') {
    const url = app.settings['server_url']
    return [
      ...tooLong,
      ...(isPathSegment(app.providerId) ? [] : [`${path}.provider_id must be letters, digits, or any of _ - . ~`]),
      ...(typeof url === 'string' && URL.canParse(url) ? [] : [`${path}.settings.server_url must be an address.`]),
    ]
  }
  if (entry.protocol !== 'saml' || isPathSegment(app.clientId)) return tooLong
  return [...tooLong, `${path}.client_id must be letters, digits, or any of _ - . ~`]
}

/** Checks that several SAML apps each have a provider_id, so that one organization can't sign in users of another. */
function checkProviderIds({ problems }: Reader, { id, protocol }: ProviderEntry, apps: readonly SocialApp[]): void {
  if (protocol !== 'saml' || apps.filter(({ providerId }) => providerId === '').length < 2) return
  problems.push(`${SETTING}.${id}: each of several apps needs a provider_id, the entity id of its organisation.`)
}

/** Checks that provider IDs are unique, because links are stored under them. */
function checkUniqueProviderIds(
  { problems }: Reader,
  apps: readonly SocialApp[],
  configured: ReadonlyMap<string, unknown>,
): void {
  const seen = new Set<string>()
  for (const { provider, providerId } of apps) {
    if (providerId === '') continue
    const path = `${SETTING}.${provider}`
    const name = providerId.slice(0, 80)
    if (seen.has(providerId)) problems.push(`${path}: several apps have the provider_id ${name}.`)
    if (providerId !== provider && configured.has(providerId)) {
      problems.push(`${path}: the provider_id ${name} is that of another provider.`)
    }
    seen.add(providerId)
  }
}
