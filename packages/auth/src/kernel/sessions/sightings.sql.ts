import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import type { Log } from '../io.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { SessionLife } from './session-rows.sql.ts'

/** Of one session this much time passes between two writes. */
const EVERY_MS = 60_000
/** After a write that failed, none is tried for as long. */
const PAUSE_MS = 60_000
const BATCH = 500

/** Writes when sessions were seen, behind the requests that see them. */
export interface Sightings {
  /** @param seenAtMs As stored. */
  note(id: string, seenAtMs: number, nowMs: number): void
  /** Resolves when nothing waits to be written. */
  settle(): Promise<void>
}

/** All that are noted in one turn of the event loop, or while a write is under way, are written together. */
export function sightings(database: Database<AuthTables>, life: SessionLife, log: Log): Sightings {
  const waiting = new Map<string, number>()
  let writing: ReadonlyMap<string, number> = new Map()
  let underWay: Promise<void> | null = null
  let pausedUntilMs = 0

  const run = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.size > 0) {
      const batch = new Map([...waiting].slice(0, BATCH))
      for (const id of batch.keys()) waiting.delete(id)
      writing = batch
      const newestMs = Math.max(...batch.values())
      try {
        await write(database, life, [...batch.keys()], newestMs)
      } catch (error) {
        log.warn('It could not be noted that sessions were seen', { error })
        pausedUntilMs = newestMs + PAUSE_MS
        waiting.clear()
      }
      writing = new Map()
    }
    underWay = null
  }
  return {
    note(id, seenAtMs, nowMs) {
      // A clock that was set back must not make the pause a long one.
      const isPaused = nowMs < pausedUntilMs && nowMs >= pausedUntilMs - PAUSE_MS
      if (nowMs - seenAtMs < EVERY_MS || isPaused || waiting.has(id) || writing.has(id)) return
      waiting.set(id, nowMs)
      underWay ??= run()
    },
    async settle() {
      await underWay
    },
  }
}

async function write(database: Database<AuthTables>, life: SessionLife, ids: string[], nowMs: number): Promise<void> {
  const absolute = sql<number>`created_at_ms + ${life.sessionCookieAge * 1000}`
  const idle = nowMs + life.sessionIdleAge * 1000
  await database.db
    .updateTable('gatepost_session')
    .set({
      seen_at_ms: nowMs,
      expires_at_ms: sql<number>`case when ${absolute} < ${idle} then ${absolute} else ${idle} end`,
    })
    .where('id', 'in', ids)
    .where('seen_at_ms', '<', nowMs)
    .execute()
}
