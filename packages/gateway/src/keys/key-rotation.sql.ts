import type { Database, RowKey } from '@gatepost/sql'
import type { GatewayTables } from '../accounts/schema.ts'

/** A rotation as stored. */
export interface RotationRecord {
  /** Random ID of the run. A process that takes a rotation over replaces it. */
  readonly runner: string
  /** ID of the key that it encrypts with. */
  readonly keyId: string
  readonly state: 'running' | 'done' | 'failed'
  /** Where to continue; `null`: at the beginning. */
  readonly position: { readonly table: string; readonly after: RowKey | null } | null
  /** Rows when it started. */
  readonly total: number
  /** Rows processed. */
  readonly seen: number
  /** Rows that were encrypted with an older key. */
  readonly resealed: number
  /** Rows that no key can open. */
  readonly unreadable: number
  readonly changedAtMs: number
}

/** Stores the latest rotation, so that another process can continue it and all processes can report it. */
export interface RotationStore {
  read(): Promise<RotationRecord | null>
  /** Replaces the rotation if `runner` works on it (`null`: if there is none). Returns whether it did. */
  write(record: RotationRecord, runner: string | null): Promise<boolean>
}

const ID = 'rotation'
const STATES = ['running', 'done', 'failed'] as const

/** Creates the store. */
export function createRotationStore({ db }: Database<GatewayTables>): RotationStore {
  return {
    async read() {
      const row = await db.selectFrom('gateway_key_rotation').selectAll().where('id', '=', ID).executeTakeFirst()
      return row === undefined ? null : toRecord(row)
    },
    async write(record, runner) {
      const row = toRow(record)
      if (runner === null) {
        const added = await db
          .insertInto('gateway_key_rotation')
          .values({ id: ID, ...row })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
      }
      const changed = await db
        .updateTable('gateway_key_rotation')
        .set(row)
        .where('id', '=', ID)
        .where('runner', '=', runner)
        .executeTakeFirst()
      return changed.numUpdatedRows > 0n
    },
  }
}

type Row = GatewayTables['gateway_key_rotation']

const toRow = ({ keyId, position, changedAtMs, ...rest }: RotationRecord): Omit<Row, 'id'> => ({
  ...rest,
  key_id: keyId,
  at_table: position?.table ?? null,
  after_key: position === null || position.after === null ? null : JSON.stringify(position.after),
  changed_at_ms: changedAtMs,
})

const toRecord = (row: Row): RotationRecord => ({
  runner: row.runner,
  keyId: row.key_id,
  state: STATES.find((state) => state === row.state) ?? 'failed',
  position: row.at_table === null ? null : { table: row.at_table, after: parseKey(row.after_key) },
  total: row.total,
  seen: row.seen,
  resealed: row.resealed,
  unreadable: row.unreadable,
  changedAtMs: row.changed_at_ms,
})

function parseKey(text: string | null): RowKey | null {
  const key: unknown = JSON.parse(text ?? 'null')
  return typeof key === 'string' || typeof key === 'number' ? key : null
}
