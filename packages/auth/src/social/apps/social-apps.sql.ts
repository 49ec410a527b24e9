import { type StoredApp, type AppRow, appRows, insertApp, updateApp, removeApp } from './app-rows.sql.ts'
import { AuthError } from '../../errors.ts'
import { inTransaction } from '../../kernel/schema/in-transaction.sql.ts'
import type { AuthDb } from '../../kernel/users/user.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { providerPaths } from '../registry/provider-paths.ts'
import type { Social } from '../social-accounts.ts'
import { MASK, maskSettings, unmaskSettings } from './app-secrets.ts'
import { cleanApp } from './clean-app.ts'
import type { ProviderSettings } from './provider-settings.ts'
import type { ShownSocialApp, SocialApp, SocialAppInput, SocialApps } from './social-apps.ts'

/** Sources of apps. */
interface AppSources {
  readonly social: Social
  /** Entries of the providers that can be used here. */
  readonly entries: () => readonly ProviderEntry[]
  /** Apps and options from the settings. */
  readonly configured: () => ProviderSettings
}

/** Port: `SocialApps`. Secrets are sealed at rest; an app that can't be opened is shown to staff but not used. */
export function createSocialApps(sources: AppSources): SocialApps {
  const { social, configured } = sources
  return {
    async list(db, filter = {}) {
      const rows = (await appRows(social.kernel, db)).flatMap((row) => toUsableApps(sources, row))
      return [...rows, ...configured().apps].filter((app) => matchesFilter(app, filter))
    },
    async shown(db) {
      const rows = (await appRows(social.kernel, db)).map((row) => toShownRow(sources, row))
      return [...rows, ...configured().apps.map((app) => toShownApp(sources, app, 'settings'))]
    },
    async create(db, input) {
      const app = { ...EMPTY, ...toStoredChanges(input, EMPTY) }
      cleanApp(social.account, app, sources.entries(), await loadOtherApps(sources, db, null))
      const id = await inTransaction(social.kernel.database, db, (tx) => insertApp(social.kernel, tx, app))
      return toShownRow(sources, { ...app, id, readable: true })
    },
    async update(db, id, changes) {
      const row = await loadAppRow(sources, db, id)
      const app = { ...row, ...toStoredChanges(changes, row) }
      cleanApp(social.account, app, sources.entries(), await loadOtherApps(sources, db, id))
      await updateApp(social.kernel, db, id, app)
      return toShownRow(sources, { ...app, readable: true })
    },
    async remove(db, id) {
      await loadAppRow(sources, db, id)
      await inTransaction(social.kernel.database, db, (tx) => removeApp(tx, id))
    },
  }
}

const EMPTY: StoredApp = { provider: '', providerId: '', name: '', clientId: '', secret: '', key: '', settings: {} }

/** Returns the given changes. Masked secrets stay as they are. */
function toStoredChanges(input: Partial<SocialAppInput>, before: StoredApp): Partial<StoredApp> {
  const { secret, key, settings, ...plain } = input
  const trimmed = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, value.trim()]))
  return {
    ...trimmed,
    ...(secret === undefined || secret === MASK ? {} : { secret }),
    ...(key === undefined || key === MASK ? {} : { key }),
    ...(settings === undefined ? {} : { settings: unmaskSettings(settings, before.settings) }),
  }
}

async function loadAppRow({ social }: AppSources, db: AuthDb, id: number): Promise<AppRow> {
  const isKey = Number.isSafeInteger(id) && id > 0 && id < 2 ** 31
  const [row] = isKey ? await appRows(social.kernel, db, id) : []
  if (row === undefined) throw new AuthError('not_found')
  return row
}

async function loadOtherApps(
  { social, configured }: AppSources,
  db: AuthDb,
  id: number | null,
): Promise<readonly Pick<StoredApp, 'provider' | 'providerId'>[]> {
  return [...(await appRows(social.kernel, db)).filter((row) => row.id !== id), ...configured().apps]
}

/** Returns the usable apps of a row. Skips unknown providers; logs apps that can't be opened. */
function toUsableApps({ social, entries, configured }: AppSources, row: AppRow): readonly SocialApp[] {
  if (!entries().some(({ id }) => id === row.provider)) return []
  if (!row.readable) {
    social.kernel.log.error(
      'An app at a provider cannot be used: its secret cannot be opened with the configured keys',
      {
        provider: row.provider,
        app: row.id,
      },
    )
    return []
  }
  const { readable: _readable, ...app } = row
  return [{ ...app, providerSettings: configured().settingsByProvider.get(row.provider) ?? {} }]
}

const matchesFilter = (app: SocialApp, { provider, clientId }: { provider?: string; clientId?: string }): boolean =>
  (provider === undefined || app.provider === provider || app.providerId === provider) &&
  (clientId === undefined || app.clientId === clientId)

const toShownRow = (sources: AppSources, row: AppRow): ShownSocialApp => {
  const app = toShownApp(sources, row, 'database')
  return row.readable ? app : { ...app, hasSecret: true }
}

function toShownApp(
  { social, entries }: AppSources,
  app: StoredApp & { readonly id: number | null },
  source: ShownSocialApp['source'],
): ShownSocialApp {
  const entry = entries().find(({ id }) => id === app.provider)
  const paths =
    entry === undefined ? { loginPath: '', callbackPath: '' } : providerPaths(social.kernel.settings, entry, app)
  return {
    id: app.id,
    provider: app.provider,
    providerId: app.providerId,
    name: app.name,
    clientId: app.clientId,
    hasSecret: app.secret !== '',
    hasKey: app.key !== '',
    settings: maskSettings(app.settings),
    source,
    ...paths,
  }
}
