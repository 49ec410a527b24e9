import type { Database } from '@gatepost/sql'
import type { Clock } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Secret } from '../secret.ts'
import type { CredentialStore } from './credential-store.ts'
import { fileCredentialStore } from './file-store.ts'
import { sealedCredentialStore } from './sealed-store.sql.ts'

/** Options of `openCredentialStore`. */
export interface StoreOptions {
  readonly database: Database<ChannelTables>
  readonly dataDir: string
  readonly secretKey: Secret
  readonly clock: Clock
}

/** Opens the store: sealed rows on PostgreSQL, otherwise a 0600 file per account. */
export function openCredentialStore({ database, dataDir, secretKey, clock }: StoreOptions): CredentialStore {
  if (database.dialect === 'postgres') return sealedCredentialStore(database, secretKey, clock)
  // the database's write lock also protects the file from other processes with this data folder
  return fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
}
