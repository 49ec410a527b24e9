import { addAuditRow, type AuditFilter, auditPage, type AuditRow, removeOldAudit } from './audit-store.sql.ts'
import { redactText } from '../../log/redact.ts'
import type { GatewayTables } from '../schema.ts'
import { type Clock, type Log, createRisingId } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Where a request comes from. */
export interface Client {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Something that somebody did, or tried to. Never a secret, never an address of a person. */
export interface AuditEntry extends Client {
  /** A user's key, the id of a token, `owner`, or `-` for somebody who is not known. */
  readonly actor: string
  readonly actorKind: 'owner' | 'session' | 'token' | 'client' | 'visitor' | 'system'
  /** The account that it was about. */
  readonly accountId: string | null
  /** Operation id of the API, or name of what happened to an account, e.g. `user_logged_in`. */
  readonly action: string
  /** What it was done to: a platform, an id. */
  readonly target: string | null
  readonly outcome: 'ok' | 'refused' | 'failed'
  /** Code of the error. */
  readonly code: string | null
}

/** Who did what, when and from where: a table and a line of the log each. */
export interface Audit {
  /** Never rejects: what cannot be stored is in the log. */
  record(entry: AuditEntry): Promise<void>
  page(page: AuditFilter & { readonly limit: number; readonly before: string | null }): Promise<readonly AuditRow[]>
  /** Removes what is older than the retention. */
  sweep(): Promise<void>
}

const TEXT_MAX = 200

export function createAudit(parts: {
  readonly database: Database<GatewayTables>
  readonly clock: Clock
  readonly log: Log
  readonly retentionMs: number
}): Audit {
  const { database, clock, log, retentionMs } = parts
  return {
    async record(entry) {
      const row = toAuditRow(entry, clock.now())
      const { id: _id, at_ms: _at, action, outcome, ...others } = row
      log.info('Audit', { action, outcome, ...others })
      try {
        await addAuditRow(database.db, row)
      } catch (error) {
        log.error('A line of the audit log could not be stored', { action: row.action, error })
      }
    },
    page: (page) => auditPage(database, page),
    sweep: () => removeOldAudit(database.db, clock.now() - retentionMs),
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

/** What a client wrote is cut, and holds no secret (a token in place of its id) and nothing that a terminal would obey. */
const cleanText = (text: string | null): string | null =>
  text === null
    ? null
    : redactText(text.toWellFormed())
        .replaceAll(/\p{Cc}/gu, ' ')
        .slice(0, TEXT_MAX)
        .toWellFormed()
