import type { Clock, Log } from '@gatepost/channels'
import type { SealedTable } from '@gatepost/sql'
import { randomUUID } from 'node:crypto'
import type { RotationRecord, RotationStore } from './key-rotation.sql.ts'

/** Encrypts all stored secrets again with the newest secret key, in the background. */
export interface KeyRotation {
  /** Starts a rotation, or continues one whose process has died. Does nothing while one is running. */
  start(): Promise<RotationRecord>
  /** Continues a rotation that was interrupted when its process stopped. */
  resume(): Promise<void>
  /** Returns the latest rotation; `null` if there was none. */
  read(): Promise<RotationRecord | null>
  /** Stops after the current batch. */
  stop(): Promise<void>
}

/** Options of `createKeyRotation`. */
export interface KeyRotationOptions {
  readonly tables: readonly SealedTable[]
  readonly store: RotationStore
  /** ID of the newest key. */
  readonly keyId: string
  /** Called when nothing is encrypted with older keys anymore. */
  readonly onDone: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** Rows per batch. Others can use the database in between. */
const BATCH = 100
const PAUSE_MS = 2
/** How long a running rotation may make no progress before another process takes it over. */
const STALE_MS = 10_000

/** Creates the rotation of this process. */
export function createKeyRotation({ tables, store, keyId, onDone, clock, log }: KeyRotationOptions): KeyRotation {
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()

  /** Processes one batch. Returns `null` at the end, after a stop, or when another process has taken over. */
  const advance = async (record: RotationRecord): Promise<RotationRecord | null> => {
    const next = await processBatch(tables, record, clock.now())
    const isDone = next.state === 'done'
    if (isDone) await onDone()
    if (!(await store.write(next, record.runner)) || stopping.signal.aborted) return null
    if (!isDone) return next
    const { total, resealed, unreadable } = next
    log.info('Encrypted all stored secrets with the newest secret key', { total, resealed, unreadable })
    return null
  }
  const run = async (begun: RotationRecord): Promise<void> => {
    let current = begun
    try {
      for (let next: RotationRecord | null = begun; next !== null; next = await advance(next)) {
        current = next
        await clock.sleep(PAUSE_MS, stopping.signal)
      }
    } catch (error) {
      if (stopping.signal.aborted) return
      log.error("Couldn't encrypt all stored secrets with the newest secret key", { error })
      const failed: RotationRecord = { ...current, state: 'failed', changedAtMs: clock.now() }
      await store.write(failed, begun.runner).catch(() => undefined) // the error above is the one to report
    }
  }
  const begin = async (record: RotationRecord, before: RotationRecord | null): Promise<RotationRecord> => {
    if (!(await store.write(record, before?.runner ?? null))) return (await store.read()) ?? record
    running = run(record)
    return record
  }
  const takeOver = (before: RotationRecord): Promise<RotationRecord> =>
    begin({ ...before, runner: randomUUID(), changedAtMs: clock.now() }, before)

  return {
    async start() {
      const before = await store.read()
      if (before?.state === 'running' && before.keyId === keyId) {
        return clock.now() - before.changedAtMs < STALE_MS ? before : takeOver(before)
      }
      const counts = { total: await countRows(tables), seen: 0, resealed: 0, unreadable: 0 }
      const changedAtMs = clock.now()
      return begin({ runner: randomUUID(), keyId, state: 'running', position: null, ...counts, changedAtMs }, before)
    },
    async resume() {
      const before = await store.read()
      if (before?.state === 'running' && before.keyId === keyId) await takeOver(before)
    },
    read: () => store.read(),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function countRows(tables: readonly SealedTable[]): Promise<number> {
  let total = 0
  for (const table of tables) total += await table.count()
  return total
}

/** Processes the next batch and returns the progress. */
async function processBatch(
  tables: readonly SealedTable[],
  record: RotationRecord,
  nowMs: number,
): Promise<RotationRecord> {
  const { position } = record
  const found = tables.findIndex(({ name }) => name === position?.table)
  // a table that this process doesn't have, because a module was turned off: start over
  const index = Math.max(found, 0)
  const batch = await tables[index]?.resealBatch(found === -1 ? null : (position?.after ?? null), BATCH)
  const last = batch?.last ?? null
  const following = tables[last === null ? index + 1 : index]
  return {
    ...record,
    state: following === undefined ? 'done' : 'running',
    position: following === undefined ? null : { table: following.name, after: last },
    seen: record.seen + (batch?.seen ?? 0),
    resealed: record.resealed + (batch?.resealed ?? 0),
    unreadable: record.unreadable + (batch?.unreadable ?? 0),
    changedAtMs: nowMs,
  }
}
