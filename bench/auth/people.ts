import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type AuthTables, createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'

/** The made-up password of all users. */
export const PASSWORD = 'correct horse battery staple'

/** The number of users, and of sessions, which is a multiple of it. */
export interface Population {
  readonly users: number
  readonly sessions: number
}

export const toUserName = (at: number): string => `user${at}`

/** Returns a session's token, which is the value of the `sessionid` cookie. */
export const toSessionToken = (at: number): string =>
  createHash('sha256').update(`bench session ${at}`).digest('base64url')

/** Sessions count as just used for the whole run, because writing their last use isn't measured. */
const SEEN_AHEAD_MS = 3_600_000

/** Creates the tables in `file`, with users, their verified addresses, and their sessions. */
export async function populate(file: string, { users, sessions }: Population): Promise<void> {
  const database = await openDatabase<AuthTables>({ file })
  const auth = await createAuth({ database, secretKey: SECRET_KEY, origin: 'http://127.0.0.1' })
  const encoded = await auth.kernel.passwords.hash(PASSWORD)
  const fingerprint = auth.kernel.signer.fingerprint(encoded, 'gatepost.session.password')
  await auth.close()
  await database.close()
  const db = new DatabaseSync(file)
  db.exec(
    'pragma synchronous = off; create table baseline (key blob primary key, name text not null) without rowid; begin',
  )
  const user = db.prepare(`insert into auth_user (id, password, is_superuser, username, first_name, last_name, email,
    is_staff, is_active, date_joined) values (?, ?, 0, ?, '', '', ?, 0, 1, '2026-01-01 00:00:00.000000')`)
  const address = db.prepare(
    'insert into account_emailaddress (email, verified, "primary", user_id) values (?, 1, 1, ?)',
  )
  for (let at = 1; at <= users; at += 1) {
    user.run(at, encoded, toUserName(at), `user${at}@example.org`)
    address.run(`user${at}@example.org`, at)
  }
  const baseline = db.prepare('insert into baseline values (?, ?)')
  const session = db.prepare(`insert into gatepost_session (token_hash, id, user_id, fingerprint, authenticated_at_ms,
    created_at_ms, seen_at_ms, expires_at_ms, persistent, ip, user_agent, version, data)
    values (?, ?, ?, ?, ?, ?, ?, ?, 1, '192.0.2.1', 'bench', 1, null)`)
  const nowMs = Date.now()
  const seenAtMs = nowMs + SEEN_AHEAD_MS
  for (let at = 0; at < sessions; at += 1) {
    const hash = createHash('sha256').update(toSessionToken(at)).digest()
    const owner = (at % users) + 1
    session.run(hash, `s${at}`, String(owner), fingerprint, nowMs, nowMs, seenAtMs, nowMs + 1_209_600_000)
    baseline.run(hash, toUserName(owner))
  }
  db.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  db.close()
}

/** The secret key of the servers and of the prepared sessions. */
export const SECRET_KEY = 'a made-up key that only the bench uses, long enough'
