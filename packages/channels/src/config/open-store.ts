import type { Database } from '@gatepost/sql'
import type { Clock } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Secret } from '../secret.ts'
import type { CredentialStore } from './credential-store.ts'
import { fileCredentialStore } from './file-store.ts'
import { sealedCredentialStore } from './sealed-store.sql.ts'

export interface StoreOptions {
  readonly database: Database<ChannelTables>
  readonly dataDir: string
  readonly secretKey: Secret
  readonly clock: Clock
}

/** Sealed rows where several nodes share a PostgreSQL, else a 0600 file for each account. */
export function openCredentialStore({ database, dataDir, secretKey, clock }: StoreOptions): CredentialStore {
  if (database.dialect === 'postgres') return sealedCredentialStore(database, secretKey, clock)
  // the database's write lock keeps other processes of this data folder away from the file as well
  return fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
}
