import type { Database } from '@gatepost/sql'
import type { Clock } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { CredentialStore } from './credential-store.ts'
import { fileCredentialStore } from './file-store.ts'
import type { SecretKeys } from '../secret.ts'
import { sealedCredentialStore } from './sealed-store.sql.ts'

/** Options of `openCredentialStore`. */
export interface StoreOptions {
  readonly database: Database<ChannelTables>
  readonly dataDir: string
  readonly secretKeys: SecretKeys
  readonly clock: Clock
}

/** Opens the store: sealed rows on PostgreSQL, otherwise a 0600 file per account. */
export function openCredentialStore({ database, dataDir, secretKeys, clock }: StoreOptions): CredentialStore {
  if (database.dialect === 'postgres') return sealedCredentialStore(database, secretKeys, clock)
  // the database's write lock also protects the file from other processes with this data folder
  return fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
}
