import { type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Sealer, unlessUnreadable } from '../../kernel/crypto/crypto.ts'
import { parseJsonColumn } from '../../kernel/schema/values.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { AuthDb } from '../../kernel/users/user.ts'
import { AuthError } from '../../errors.ts'
import {
  MASK,
  maskSettings,
  openSettings,
  openText,
  resealSettings,
  resealText,
  type SealedPlace,
  sealSettings,
  type SecretStorage,
  sealText,
} from './app-secrets.ts'

const TABLE = 'socialaccount_socialapp'
const LINKS = 'socialaccount_socialapp_sites'
const COLUMNS = ['id', 'provider', 'provider_id', 'name', 'client_id', 'secret', 'key', 'settings'] as const

/** Maximum number of characters in the columns `secret` and `key`. */
const COLUMN_LENGTH = 191
/** Member of the column `settings` that holds sealed values too long for their own column. */
const LONG = 'gatepost_sealed'
/** Placeholder in that column. */
const ELSEWHERE = 'sealed:settings'

/** An app as staff can edit it, with its secrets opened. */
export interface StoredApp {
  readonly provider: string
  readonly providerId: string
  readonly name: string
  readonly clientId: string
  readonly secret: string
  readonly key: string
  readonly settings: JsonObject
}

/** A row. If it's sealed with unavailable keys, `readable` is `false`, and the secret, key, and settings are empty. */
export type AppRow = StoredApp & { readonly id: number; readonly readable: boolean }

type Parts = Pick<Kernel, 'database' | 'sealer' | 'oldSite' | 'settings'>

/** Returns the rows of this site: those linked to it or to no site. */
export async function appRows(core: Parts, db: AuthDb, id?: number): Promise<readonly AppRow[]> {
  const query = db
    .selectFrom(TABLE)
    .select(COLUMNS)
    .where(({ or, exists, not, selectFrom, ref }) => {
      const links = selectFrom(LINKS)
        .select('id')
        .where('socialapp_id', '=', ref(`${TABLE}.id`))
      return or([not(exists(links)), exists(links.where('site_id', '=', core.settings.siteId))])
    })
    .orderBy('id')
  const rows = await (id === undefined ? query : query.where('id', '=', id)).execute()
  return rows.map((row) => readRow(core, row))
}

interface PhysicalRow {
  readonly id: number
  readonly provider: string
  readonly provider_id: string
  readonly name: string
  readonly client_id: string
  readonly secret: string
  readonly key: string
  readonly settings: unknown
}

function readRow({ database, sealer }: Pick<Parts, 'database' | 'sealer'>, row: PhysicalRow): AppRow {
  const value = parseJsonColumn(row.settings, database.dialect)
  const { [LONG]: long, ...settings } = isRecord(value) ? value : {}
  const { id, provider, provider_id: providerId, name, client_id: clientId } = row
  const plain = { id, provider, providerId, name, clientId }
  try {
    return {
      ...plain,
      secret: openColumn(sealer, row.secret, readStringMember(long, 'secret'), 'app secret'),
      key: openColumn(sealer, row.key, readStringMember(long, 'key'), 'app key'),
      settings: openSettings(sealer, settings),
      readable: true,
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { ...plain, secret: '', key: '', settings: {}, readable: false }
  }
}

const isUnreadable = (error: unknown): boolean => hasErrorCode(error) && error.code === 'secret_unreadable'
const hasErrorCode = (error: unknown): error is { readonly code: unknown } =>
  typeof error === 'object' && error !== null && 'code' in error

const readStringMember = (long: unknown, name: string): string => {
  const value = isRecord(long) ? long[name] : undefined
  return typeof value === 'string' ? value : ''
}

const openColumn = (sealer: Sealer, stored: string, long: string, place: SealedPlace): string =>
  openText(sealer, stored === ELSEWHERE ? long : stored, place)

/** Returns the columns of an app. Seals its secrets, and moves those too long for their column to `settings`. */
function toPhysicalApp(
  storage: SecretStorage,
  app: StoredApp,
): Omit<PhysicalRow, 'id' | 'settings'> & { readonly settings: string } {
  const secret = sealText(storage, app.secret, 'app secret')
  const key = sealText(storage, app.key, 'app key')
  const long = Object.fromEntries(Object.entries({ secret, key }).filter(([, text]) => text.length > COLUMN_LENGTH))
  const settings = sealSettings(storage, app.settings)
  return {
    provider: app.provider,
    provider_id: app.providerId,
    name: app.name,
    client_id: app.clientId,
    secret: 'secret' in long ? ELSEWHERE : secret,
    key: 'key' in long ? ELSEWHERE : key,
    settings: JSON.stringify(Object.keys(long).length === 0 ? settings : { ...settings, [LONG]: long }),
  }
}

/** Stores an app, linked to this site if sites are enabled. Call it in a transaction. @returns its ID */
export async function insertApp(core: Parts, db: AuthDb, app: StoredApp): Promise<number> {
  const { id } = await db.insertInto(TABLE).values(toPhysicalApp(core, app)).returning('id').executeTakeFirstOrThrow()
  const { sitesEnabled, siteId } = core.settings
  const site = sitesEnabled
    ? await db.selectFrom('django_site').select('id').where('id', '=', siteId).executeTakeFirst()
    : undefined
  if (site !== undefined) await db.insertInto(LINKS).values({ socialapp_id: id, site_id: site.id }).execute()
  return id
}

/** Updates an app. */
export async function updateApp(core: Parts, db: AuthDb, id: number, app: StoredApp): Promise<void> {
  await db.updateTable(TABLE).set(toPhysicalApp(core, app)).where('id', '=', id).execute()
}

/**
 * Stores an app's secrets in the form in which they would be stored now. @returns whether the row changed
 * @throws {AuthError} `secret_unreadable`
 */
export async function convertAppRow(
  core: Pick<Kernel, 'database'> & SecretStorage,
  db: AuthDb,
  row: PhysicalRow,
): Promise<boolean> {
  const { readable, ...app } = readRow(core, row)
  if (!readable) throw new AuthError('secret_unreadable')
  const isSealed = [row.secret, row.key, JSON.stringify(row.settings)].some((text) => text.includes('sealed:'))
  const hasSecrets = app.secret !== '' || app.key !== '' || JSON.stringify(maskSettings(app.settings)).includes(MASK)
  if (!hasSecrets || isSealed !== core.oldSite.isInUse) return false
  await db.updateTable(TABLE).set(toPhysicalApp(core, app)).where('id', '=', row.id).execute()
  return true
}

/** Removes an app. Its tokens stay with their accounts. Call it in a transaction. */
export async function removeApp(db: AuthDb, id: number): Promise<void> {
  await db.updateTable('socialaccount_socialtoken').set({ app_id: null }).where('app_id', '=', id).execute()
  await db.deleteFrom(LINKS).where('socialapp_id', '=', id).execute()
  await db.deleteFrom(TABLE).where('id', '=', id).execute()
}

/** Creates the `SealedTable` of the apps' secrets. */
export const sealedApps = ({ database, sealer }: Pick<Kernel, 'database' | 'sealer'>): SealedTable =>
  sealedTable(database, {
    table: TABLE,
    key: sql.ref('id'),
    columns: ['secret', 'key', 'settings'],
    reseal: ({ secret, key, settings }) =>
      unlessUnreadable(() => ({
        secret: resealColumn(sealer, secret, 'app secret'),
        key: resealColumn(sealer, key, 'app key'),
        settings: resealStoredSettings(sealer, settings),
      })),
  })

const resealColumn = (sealer: Sealer, stored: string | null, place: SealedPlace): string | null =>
  stored === null || stored === ELSEWHERE ? stored : resealText(sealer, stored, place)

function resealStoredSettings(sealer: Sealer, stored: string | null): string | null {
  const value: unknown = JSON.parse(stored ?? 'null')
  if (!isRecord(value)) return stored
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name !== LONG) return [name, resealSettings(sealer, { [name]: member })[name]]
    const long = ['secret', 'key'] as const
    const texts = long.map((one) => [one, resealText(sealer, readStringMember(member, one), `app ${one}`)] as const)
    return [name, Object.fromEntries(texts.filter(([, text]) => text !== ''))]
  })
  const resealed = JSON.stringify(Object.fromEntries(members))
  return resealed === JSON.stringify(value) ? stored : resealed
}
