import type { Database } from '@gatepost/sql'
import { type Selectable, sql } from 'kysely'
import { AuthError } from '../errors.ts'
import { inspectTable } from '../kernel/schema/inspect.sql.ts'
import { secretKeys } from '../kernel/create-kernel.ts'
import { createSealer } from '../kernel/crypto/crypto.ts'
import { saveSecretForm } from '../kernel/schema/adopted.sql.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { parseJsonColumn } from '../kernel/schema/values.ts'
import { isRecord } from '../kernel/settings/kind.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import { convertSecret, isUnreadable } from '../mfa/sealed-secret.ts'
import { convertAppRow } from '../social/apps/app-rows.sql.ts'
import { convertText, type SecretStorage } from '../social/apps/app-secrets.ts'

/** How secrets are stored: as the old site stores them, or sealed with the secret key. */
export type SecretForm = 'plain' | 'sealed'

/** The result of `convertSecrets`, in rows. */
export interface ConvertedSecrets {
  readonly authenticators: number
  readonly apps: number
  readonly tokens: number
  /** Rows that are sealed with a key that wasn't passed. They stay as they are. */
  readonly unreadable: number
}

/** The inputs of `convertSecrets`. */
export interface SecretFormOptions<Tables> {
  /** A database that `createAuth` has migrated. */
  readonly database: Database<Tables>
  /** As in `AuthOptions`: the first key seals, and all open. */
  readonly secretKey: string | readonly [string, ...string[]]
}

/**
 * Stores the secrets of authenticators, recovery codes, social apps, and provider tokens in this form, now and from now
 * on. Stop the service before, or restart it after: running processes keep writing the previous form. Can be repeated
 * if it's interrupted. Values encrypted by a host's own `encrypt` hook aren't recognized.
 * @throws {AuthError} `database_foreign` if the database hasn't been migrated, `settings_invalid` if a key is too short
 */
export async function convertSecrets<Tables>(
  { database: given, secretKey }: SecretFormOptions<Tables>,
  form: SecretForm,
): Promise<ConvertedSecrets> {
  const database = given as unknown as Database<AuthTables> // `authMigrations` created its tables
  const oldSite = { isInUse: form === 'plain' }
  const storage: Storage = { sealer: createSealer(secretKeys(secretKey)), oldSite, database }
  if ((await inspectTable(database.db, 'gatepost_state', database.dialect)) === null)
    throw new AuthError('database_foreign')
  await database.transaction((tx) => saveSecretForm(tx, form), { durable: true })
  const results = [
    await convertTable(storage, 'mfa_authenticator', convertAuthenticator),
    await convertTable(storage, 'socialaccount_socialapp', convertAppRow),
    await convertTable(storage, 'socialaccount_socialtoken', convertToken),
  ] as const
  const [authenticators, apps, tokens] = results
  return {
    authenticators: authenticators.converted,
    apps: apps.converted,
    tokens: tokens.converted,
    unreadable: results.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

type Storage = SecretStorage & { readonly database: Database<AuthTables> }
type Table = 'mfa_authenticator' | 'socialaccount_socialapp' | 'socialaccount_socialtoken'

interface Keyed {
  readonly id: number
}

/** Rows per transaction. */
const BATCH = 200

/** @param convert Returns whether the row changed. @throws {AuthError} `secret_unreadable` */
async function convertTable<T extends Table>(
  storage: Storage,
  table: T,
  convert: (storage: Storage, db: AuthDb, row: Selectable<AuthTables[T]> & Keyed) => Promise<boolean>,
): Promise<{ readonly converted: number; readonly unreadable: number }> {
  const { database } = storage
  let [converted, unreadable, after] = [0, 0, -1]
  for (let isLast = false; !isLast; ) {
    await database.transaction(async (tx) => {
      const lock = database.dialect === 'postgres' ? sql`for update` : sql``
      const found = await sql<Selectable<AuthTables[T]> & Keyed>`
        select * from ${sql.table(table)} where id > ${after} order by id limit ${BATCH} ${lock}`.execute(tx)
      for (const row of found.rows) {
        try {
          if (await convert(storage, tx, row)) converted += 1
        } catch (error) {
          if (!isUnreadable(error)) throw error
          unreadable += 1
        }
      }
      after = found.rows.at(-1)?.id ?? after
      isLast = found.rows.length < BATCH
    })
  }
  return { converted, unreadable }
}

async function convertAuthenticator(
  storage: Storage,
  db: AuthDb,
  { id, data }: Selectable<AuthTables['mfa_authenticator']>,
): Promise<boolean> {
  const stored = parseJsonColumn(data, storage.database.dialect)
  if (!isRecord(stored)) return false
  const before = JSON.stringify(stored)
  const convert = (text: unknown): unknown => (typeof text === 'string' ? convertSecret(storage, text) : text)
  const changed = { ...stored }
  for (const name of ['secret', 'seed']) if (name in stored) changed[name] = convert(stored[name])
  const { migrated_codes: codes } = stored
  if (Array.isArray(codes)) changed['migrated_codes'] = codes.map(convert)
  const after = JSON.stringify(changed)
  if (after === before) return false
  await db.updateTable('mfa_authenticator').set({ data: after }).where('id', '=', id).execute()
  return true
}

async function convertToken(
  storage: Storage,
  db: AuthDb,
  { id, token, token_secret: tokenSecret }: Selectable<AuthTables['socialaccount_socialtoken']>,
): Promise<boolean> {
  const changes = {
    token: convertText(storage, token, 'provider token'),
    token_secret: convertText(storage, tokenSecret, 'provider token'),
  }
  if (changes.token === token && changes.token_secret === tokenSecret) return false
  await db.updateTable('socialaccount_socialtoken').set(changes).where('id', '=', id).execute()
  return true
}
