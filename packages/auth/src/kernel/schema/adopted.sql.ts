import type { Kysely } from 'kysely'
import type { Dialect } from './ddl.ts'
import { inspectTable } from './inspect.sql.ts'

/** Django's list of applied migrations. */
const DJANGO_TABLE = 'django_migrations'

/** Returns whether the database belongs to an existing Django site, as opposed to having been created by this package. */
export const isAdoptedDatabase = async <T>(db: Kysely<T>, dialect: Dialect): Promise<boolean> =>
  (await inspectTable(db, DJANGO_TABLE, dialect)) !== null
