import { randomUUID } from 'node:crypto'
import type { HostedAuth } from '@gatepost/auth'
import type { Clock } from '@gatepost/channels'
import { type Database, type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import type { GatewayTables, GatewayDb } from '../accounts/schema.ts'
import { GatewayError } from '../server/errors.ts'
import { parseStoredAssistant, type StoredAssistant } from './assistant-settings.ts'

/** The stored settings and their version. */
export interface KeptAssistant {
  readonly stored: StoredAssistant
  /** Changes with each update; `null`: nothing stored. */
  readonly version: string | null
  readonly changedAtMs: number | null
}

/** Stores the assistant's settings, encrypted. */
export interface AssistantKeeper {
  /** Reads the settings. @param known Returned as is if nothing has changed. @throws {GatewayError} `assistant_unreadable` */
  read(known?: KeptAssistant | null): Promise<KeptAssistant>
  /** Updates the settings. @param change Receives the stored settings; called again after a conflict. */
  change(change: (stored: StoredAssistant) => StoredAssistant): Promise<KeptAssistant>
  reset(): Promise<void>
}

const CONTEXT = 'gatepost assistant'
const NOTHING: KeptAssistant = { stored: {}, version: null, changedAtMs: null }

/** Creates the store of the assistant's settings. */
export function createAssistantKeeper(parts: {
  readonly database: Database<GatewayTables>
  readonly sealer: HostedAuth['kernel']['sealer']
  readonly clock: Clock
}): AssistantKeeper {
  const { sealer, clock } = parts
  const { db } = parts.database
  const opened = (row: AssistantRow): KeptAssistant => ({
    stored: openStored(sealer, row.sealed),
    version: row.version,
    changedAtMs: row.changed_at_ms,
  })
  const read: AssistantKeeper['read'] = async (known = null) => {
    const row = await readAssistant(db)
    if (row === null) return NOTHING
    return row.version === known?.version ? known : opened(row)
  }
  return {
    read,
    async change(change) {
      for (;;) {
        const before = await read()
        const stored = change(before.stored)
        const row: AssistantRow = {
          version: randomUUID(),
          sealed: sealer.seal(JSON.stringify(stored), CONTEXT),
          changed_at_ms: clock.now(),
        }
        if (await writeAssistant(db, before.version, row)) return opened(row)
      }
    },
    reset: () => removeAssistant(db),
  }
}

/** Creates the `SealedTable` of the assistant's settings. */
export const sealedAssistant = (
  database: Database<GatewayTables>,
  sealer: HostedAuth['kernel']['sealer'],
): SealedTable =>
  sealedTable(database, {
    table: 'gateway_assistant',
    key: sql.ref('id'),
    columns: ['sealed'],
    reseal({ sealed }) {
      try {
        return { sealed: sealed && sealer.reseal(sealed, CONTEXT) }
      } catch {
        return null // the sealer has no other failure
      }
    },
  })

/** @throws {GatewayError} `assistant_unreadable` */
function openStored(sealer: HostedAuth['kernel']['sealer'], sealed: string): StoredAssistant {
  try {
    return parseStoredAssistant(JSON.parse(sealer.open(sealed, CONTEXT)))
  } catch (cause) {
    throw new GatewayError('assistant_unreadable', { cause })
  }
}

/** The stored row. */
type AssistantRow = Readonly<Omit<GatewayTables['gateway_assistant'], 'id'>>

const ID = 'assistant'

/** Returns the row, or `null`. */
async function readAssistant(db: GatewayDb): Promise<AssistantRow | null> {
  const row = await db
    .selectFrom('gateway_assistant')
    .select(['version', 'sealed', 'changed_at_ms'])
    .where('id', '=', ID)
    .executeTakeFirst()
  return row ?? null
}

/** Replaces the row of version `before` (`null`: no row). Returns `false` after a concurrent change. */
async function writeAssistant(db: GatewayDb, before: string | null, row: AssistantRow): Promise<boolean> {
  if (before === null) {
    const added = await db
      .insertInto('gateway_assistant')
      .values({ id: ID, ...row })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
  }
  const changed = await db
    .updateTable('gateway_assistant')
    .set(row)
    .where('id', '=', ID)
    .where('version', '=', before)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Removes the row. */
async function removeAssistant(db: GatewayDb): Promise<void> {
  await db.deleteFrom('gateway_assistant').where('id', '=', ID).execute()
}
