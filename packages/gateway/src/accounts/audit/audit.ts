import { setImmediate as nextTick } from 'node:timers/promises'
import { addAuditRow, type AuditFilter, auditPage, type AuditRow, removeOldAudit } from './audit-store.sql.ts'
import { redactText } from '../../log/redact.ts'
import type { GatewayTables } from '../schema.ts'
import { type Clock, type Log, createRisingId } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Origin of a request. */
export interface Client {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** An action or an attempt. Never contains a secret or an email address. */
export interface AuditEntry extends Client {
  /** A user id, a token id, `owner`, or `-` if unknown. */
  readonly actor: string
  readonly actorKind: 'owner' | 'session' | 'token' | 'client' | 'visitor' | 'system'
  /** The affected account. */
  readonly accountId: string | null
  /** Operation id of the API, or an account event, e.g. `user_logged_in`. */
  readonly action: string
  /** The affected object: a platform or an id. */
  readonly target: string | null
  readonly outcome: 'ok' | 'refused' | 'failed'
  /** Code of the error. */
  readonly code: string | null
}

/** The audit log. Entries go to a table and to the log. */
export interface Audit {
  /** Records an entry. Never rejects: storage errors are logged. */
  record(entry: AuditEntry): Promise<void>
  /** Like `record`, but at most once a minute per entry, for what happens often, such as reading. */
  recordRepeated(entry: AuditEntry): Promise<void>
  page(page: AuditFilter & { readonly limit: number; readonly before: string | null }): Promise<readonly AuditRow[]>
  /** Removes entries older than the retention period. */
  sweep(): Promise<void>
}

const TEXT_MAX = 200
const REPEAT_MS = 60_000
/** Most entries to remember. Above it, the oldest are forgotten. */
const REPEATS_MAX = 10_000

/** Creates the audit log. */
export function createAudit(parts: {
  readonly database: Database<GatewayTables>
  readonly clock: Clock
  readonly log: Log
  readonly retentionMs: number
}): Audit {
  const { database, clock, log, retentionMs } = parts
  const isRepeated = createRepeatCheck()
  const record = async (entry: AuditEntry): Promise<void> => {
    const row = toAuditRow(entry, clock.now())
    const { id: _id, at_ms: _at, action, outcome, ...others } = row
    log.info('Audit', { action, outcome, ...others })
    try {
      await addAuditRow(database.db, row)
    } catch (error) {
      log.error("Couldn't store an audit entry", { action: row.action, error })
    }
  }
  return {
    record,
    async recordRepeated(entry) {
      if (!isRepeated(entry, clock.now())) await record(entry)
    },
    page: (page) => auditPage(database, page),
    async sweep() {
      const beforeMs = clock.now() - retentionMs
      // other work runs in between
      while (await removeOldAudit(database.db, beforeMs)) await nextTick()
    },
  }
}

/** Returns a function that returns whether an entry was recorded less than a minute ago, whatever the user agent. */
function createRepeatCheck(): (entry: AuditEntry, nowMs: number) => boolean {
  const recordedMs = new Map<string, number>()
  return ({ userAgent: _userAgent, ...entry }, nowMs) => {
    const key = JSON.stringify(entry)
    const atMs = recordedMs.get(key)
    if (atMs !== undefined && nowMs - atMs < REPEAT_MS) return true
    recordedMs.delete(key) // moves it to the end
    recordedMs.set(key, nowMs)
    for (const oldest of recordedMs.keys()) {
      if (recordedMs.size <= REPEATS_MAX) break
      recordedMs.delete(oldest)
    }
    return false
  }
}

function toAuditRow(entry: AuditEntry, nowMs: number): AuditRow {
  const { actor, actorKind, accountId, action, target, ip, userAgent, outcome, code } = entry
  return {
    id: createRisingId(nowMs),
    at_ms: nowMs,
    actor,
    actor_kind: actorKind,
    account_id: accountId,
    action,
    target: cleanText(target),
    ip,
    user_agent: cleanText(userAgent),
    outcome,
    code,
  }
}

/** Shortens text from a client and removes secrets and control characters. */
const cleanText = (text: string | null): string | null =>
  text === null
    ? null
    : redactText(text.toWellFormed())
        .replaceAll(/\p{Cc}/gu, ' ')
        .slice(0, TEXT_MAX)
        .toWellFormed()
