import { createHash } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import type { SelectQueryBuilder } from 'kysely'
import type { Sealer } from '../crypto/crypto.ts'
import { AuthError } from '../../errors.ts'
import type { AuthDb } from '../users/user.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { Artifact, Artifacts, NewArtifact } from './artifacts.ts'

const SWEEP_BATCH = 1_000

type Row = AuthTables['gatepost_artifact']

/** Port: `Artifacts`. An artifact whose secret key has been removed counts as missing. */
export function sqlArtifacts(database: Database<AuthTables>, sealer: Sealer): Artifacts {
  return {
    ...artifactWrites(sealer),
    ...artifactReads(sealer),
    async remove(db, kind, id) {
      await db.deleteFrom('gatepost_artifact').where('key', '=', hashArtifactKey(kind, id)).execute()
    },
    async removeGrant(db, grantId) {
      await db.deleteFrom('gatepost_artifact').where('grant_id', '=', hashArtifactKey('grant', grantId)).execute()
    },
    sweep: (nowMs) => sweep(database, nowMs),
  }
}

/** The operations that store artifacts. */
function artifactWrites(sealer: Sealer): Pick<Artifacts, 'put' | 'add'> {
  return {
    async put(db, kind, id, given) {
      const row = toArtifactRow(sealer, kind, id, given)
      const { key: _key, ...values } = row
      await db
        .insertInto('gatepost_artifact')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
        .execute()
    },
    async add(db, kind, id, given, nowMs) {
      const row = toArtifactRow(sealer, kind, id, given)
      const { key: _key, ...values } = row
      const added = await db
        .insertInto('gatepost_artifact')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet(values).where('gatepost_artifact.expires_at_ms', '<=', nowMs),
        )
        .returning('key')
        .executeTakeFirst()
      return added !== undefined
    },
  }
}

/** The operations that read and consume artifacts. */
function artifactReads(sealer: Sealer): Pick<Artifacts, 'get' | 'byLookup' | 'take' | 'consume'> {
  return {
    async get(db, kind, id, nowMs) {
      const row = await selectLiveArtifacts(db, nowMs).where('key', '=', hashArtifactKey(kind, id)).executeTakeFirst()
      return openArtifact(sealer, row)
    },
    async byLookup(db, kind, lookup, nowMs) {
      const row = await selectLiveArtifacts(db, nowMs)
        .where('lookup', '=', hashArtifactKey(kind, lookup))
        .executeTakeFirst()
      return openArtifact(sealer, row)
    },
    async take(db, kind, id, nowMs) {
      const row = await db
        .deleteFrom('gatepost_artifact')
        .where('key', '=', hashArtifactKey(kind, id))
        .where('expires_at_ms', '>', nowMs)
        .returningAll()
        .executeTakeFirst()
      return openArtifact(sealer, row)
    },
    async consume(db, kind, id, nowMs) {
      const used = await db
        .updateTable('gatepost_artifact')
        .set({ consumed_at_ms: nowMs })
        .where('key', '=', hashArtifactKey(kind, id))
        .where('expires_at_ms', '>', nowMs)
        .where('consumed_at_ms', 'is', null)
        .returning('key')
        .executeTakeFirst()
      return used !== undefined
    },
  }
}

function toArtifactRow(sealer: Sealer, kind: string, id: string, given: NewArtifact): Row {
  const { payload, expiresAtMs, grantId, lookup } = given
  const key = hashArtifactKey(kind, id)
  return {
    key,
    lookup: lookup === undefined ? null : hashArtifactKey(kind, lookup),
    grant_id: grantId === undefined ? null : hashArtifactKey('grant', grantId),
    payload: sealer.seal(JSON.stringify(payload), key),
    consumed_at_ms: null,
    expires_at_ms: expiresAtMs,
  }
}

const selectLiveArtifacts = (db: AuthDb, nowMs: number): SelectQueryBuilder<AuthTables, 'gatepost_artifact', Row> =>
  db.selectFrom('gatepost_artifact').selectAll().where('expires_at_ms', '>', nowMs)

/**
 * Hashes an ID, so that the table doesn't reveal codes. The hash includes the kind, so that equal IDs of different
 * kinds have different keys.
 */
const hashArtifactKey = (kind: string, id: string): string =>
  `${kind}:${createHash('sha256').update(`${kind}:${id}`).digest('base64url')}`

function openArtifact(sealer: Sealer, row: Row | undefined): Artifact | null {
  if (row === undefined) return null
  try {
    const payload: unknown = JSON.parse(sealer.open(row.payload, row.key))
    return { payload, expiresAtMs: row.expires_at_ms, consumedAtMs: row.consumed_at_ms }
  } catch (error) {
    if (error instanceof AuthError && error.code === 'secret_unreadable') return null
    throw error
  }
}

async function sweep(database: Database<AuthTables>, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const expired = database.db
      .selectFrom('gatepost_artifact')
      .select('key')
      .where('expires_at_ms', '<=', nowMs)
      .limit(SWEEP_BATCH)
      .$if(database.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    const { numDeletedRows } = await database.db
      .deleteFrom('gatepost_artifact')
      .where('key', 'in', expired)
      .executeTakeFirstOrThrow()
    swept += Number(numDeletedRows)
    if (numDeletedRows < SWEEP_BATCH) return swept
  }
}
