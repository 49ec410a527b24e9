import type { Database } from '@gatepost/sql'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../users/user.ts'
import type { Dialect } from './ddl.ts'
import { inspectTable } from './inspect.sql.ts'
import type { AuthTables } from './tables.ts'

/** Django's list of applied migrations. */
const DJANGO_TABLE = 'django_migrations'

/** Returns whether the database belongs to an existing Django site, as opposed to having been created by this package. */
export const isAdoptedDatabase = async <T>(db: Kysely<T>, dialect: Dialect): Promise<boolean> =>
  (await inspectTable(db, DJANGO_TABLE, dialect)) !== null

/** Whether an old site still uses the database. */
export interface OldSite {
  /**
   * Whether the old site must be able to read what is written: true for adopted databases until `gatepost auth seal`.
   * Valid after `load`.
   */
  readonly isInUse: boolean
  /** Reads the state from the database. */
  load(): Promise<void>
}

/** The row of `gatepost_state` that `gatepost auth seal` and `unseal` write: `sealed` or `plain`. */
const STATE = 'stored_secrets'

/** Creates the state of one database. */
export function createOldSite({ db, dialect }: Database<AuthTables>): OldSite {
  let isInUse = false
  return {
    get isInUse() {
      return isInUse
    },
    async load() {
      const row = await db.selectFrom('gatepost_state').select('value').where('name', '=', STATE).executeTakeFirst()
      isInUse = row === undefined ? await isAdoptedDatabase(db, dialect) : row.value === 'plain'
    },
  }
}

/** Stores whether secrets are sealed from now on. Running processes notice when they restart. */
export async function saveSecretForm(db: AuthDb, value: 'sealed' | 'plain'): Promise<void> {
  await db
    .insertInto('gatepost_state')
    .values({ name: STATE, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
