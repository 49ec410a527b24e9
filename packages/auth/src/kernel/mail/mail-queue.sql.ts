import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import type { Sealer } from '../crypto/crypto.ts'
import type { Clock, Log, LogFields, RandomBytes } from '../io.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { AuthDb } from '../users/user.ts'
import { mailMessage, type MailMessage, type MailQueue, MailRefused, type MailTransport, parseMailbox } from './mail.ts'

/** The inputs of `createMailQueue`. */
export interface MailQueueParts {
  readonly database: Database<AuthTables>
  readonly transport: MailTransport
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly random: RandomBytes
}

const MAX_CONCURRENT = 5
/** Time limit of one attempt. */
const SEND_TIMEOUT_MS = 120_000
/** A claim outlasts an attempt and the write of its result. */
const CLAIM_MS = 180_000
const FIRST_RETRY_MS = 30_000
const LONGEST_RETRY_MS = 4 * 3_600_000
const GIVE_UP_MS = 3 * 86_400_000
/** How often an idle process checks for mail that another process has left behind. */
const IDLE_CHECK_MS = 10 * 60_000
const MIN_CHECK_MS = 100
const DATABASE_RETRY_MS = 5_000
const WRITE_ATTEMPTS = 5

/**
 * Port: `MailQueue` in mail.ts. Only one process at a time handles a mail. If the process dies after the server
 * accepted the mail and before its row is deleted, the mail is sent again with the same Message-ID.
 */
export function createMailQueue(parts: MailQueueParts): MailQueue {
  const { database, transport, sealer, clock, log, random } = parts
  const rows = sqlMailRows(database)
  const wakeUp = createWakeUp(clock)
  const stopped = new AbortController()
  const sending: Sending = { active: new Set(), cut: new AbortController() }
  const post: Post = { ...parts, rows, wakeUp, sending, stopped: stopped.signal }
  let running: Promise<void> | null = null
  return {
    outbox: transport.outbox ?? [],
    async enqueue(db, message) {
      const id = random(16).toString('hex')
      const ready = readyToSend(id, message)
      // The stored address is invalid, and neither the visitor nor the mail server can fix that.
      if (ready instanceof MailRefused) return log.error(DROPPED, { mail: id, reason: ready.message })
      await rows.add(db, { id, sealed: sealer.seal(JSON.stringify(ready), mailSealContext(id)) }, clock.now())
    },
    wake: () => wakeUp.wake(),
    start() {
      running ??= run(post)
    },
    async stop(withinMs) {
      stopped.abort()
      wakeUp.wake()
      await running
      if (withinMs > 0) {
        const enough = new AbortController()
        await Promise.race([Promise.all(sending.active), clock.sleep(withinMs, enough.signal)])
        enough.abort()
      }
      sending.cut.abort()
      await Promise.all(sending.active)
      await transport.close?.()
    },
  }
}

const DROPPED = "A mail can't be delivered and was dropped."
/** Returns the context that a stored mail is sealed for. */
export const mailSealContext = (id: string): string => `mail:${id}`

/** Current attempts, and the controller that cancels them. */
interface Sending {
  readonly active: Set<Promise<void>>
  readonly cut: AbortController
}

interface Post extends MailQueueParts {
  readonly rows: MailRows
  readonly wakeUp: WakeUp
  readonly sending: Sending
  readonly stopped: AbortSignal
}

/** Adds a Message-ID that stays the same for every attempt, so that duplicates can be detected. */
function readyToSend(id: string, draft: MailMessage): MailMessage | MailRefused {
  try {
    const message = mailMessage(draft)
    if (Object.keys(message.headers).some((name) => name.toLowerCase() === 'message-id')) return message
    const domain = parseMailbox(message.from).address.split('@')[1] ?? 'localhost'
    return { ...message, headers: { ...message.headers, 'Message-ID': `<${id}@${domain}>` } }
  } catch (error) {
    if (error instanceof MailRefused) return error
    throw error
  }
}

async function run(post: Post): Promise<void> {
  const { log, wakeUp, stopped } = post
  while (!stopped.aborted) {
    let waitMs: number
    try {
      waitMs = await startDueMail(post)
    } catch (error) {
      log.warn("Couldn't read the mail queue.", { error })
      waitMs = DATABASE_RETRY_MS
    }
    if (!stopped.aborted) await wakeUp.sleep(waitMs)
  }
}

/** Starts sending due mail. Returns the time until the next check in ms, unless woken earlier. */
async function startDueMail(post: Post): Promise<number> {
  const { rows, clock, sending, wakeUp } = post
  const free = MAX_CONCURRENT - sending.active.size
  if (free <= 0) return IDLE_CHECK_MS
  const nowMs = clock.now()
  const claimed = await rows.claim(free, nowMs, nowMs + CLAIM_MS)
  for (const mail of claimed) {
    const work = deliver(post, mail).finally(() => {
      sending.active.delete(work)
      wakeUp.wake()
    })
    sending.active.add(work)
  }
  if (claimed.length === free) return IDLE_CHECK_MS
  const nextMs = await rows.nextMs()
  if (nextMs === null) return IDLE_CHECK_MS
  return Math.min(Math.max(nextMs - clock.now(), MIN_CHECK_MS), IDLE_CHECK_MS)
}

/** Makes one attempt and stores its result. Never rejects. */
async function deliver(post: Post, mail: ClaimedMail): Promise<void> {
  const { rows, clock, log } = post
  const fields = { mail: mail.id, attempts: mail.attempts }
  const failure = await tryToSend(post, mail)
  if (failure === null) return writeWithRetry(post, fields, async () => rows.remove(mail))
  if (post.sending.cut.signal.aborted) return writeWithRetry(post, fields, async () => rows.putBack(mail, clock.now()))
  const retryInMs = retryDelayMs(post, mail)
  const reason = describeMailFailure(failure)
  if (failure instanceof MailRefused || clock.now() + retryInMs > mail.createdAtMs + GIVE_UP_MS) {
    log.error(DROPPED, { ...fields, reason })
    return writeWithRetry(post, fields, async () => rows.remove(mail))
  }
  log.warn("A mail couldn't be sent and will be retried.", { ...fields, reason, retryInMs })
  return writeWithRetry(post, fields, async () => rows.putBack(mail, clock.now() + retryInMs))
}

/** Returns `null` if the mail was sent, otherwise the error. */
async function tryToSend({ transport, sealer, clock, sending }: Post, mail: ClaimedMail): Promise<Error | null> {
  try {
    if (clock.now() > mail.createdAtMs + GIVE_UP_MS) return new MailRefused('too old')
    // only `enqueue` seals these texts
    const message = JSON.parse(sealer.open(mail.sealed, mailSealContext(mail.id))) as MailMessage
    const stop = sending.cut.signal
    await withinLimit(async (signal) => transport.send(message, signal), { clock, limitMs: SEND_TIMEOUT_MS, stop })
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error('not an error was thrown', { cause: error })
  }
}

/** Retries a write, so that mail isn't sent again because the database was briefly unavailable. */
async function writeWithRetry(
  { clock, log, sending }: Post,
  fields: LogFields,
  write: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === WRITE_ATTEMPTS)
        return log.error("Couldn't store the result of sending a mail.", { ...fields, error })
      await clock.sleep(DATABASE_RETRY_MS, sending.cut.signal)
    }
  }
}

/** Returns the retry delay in ms: exponential backoff with jitter. */
function retryDelayMs({ random }: Post, { attempts }: ClaimedMail): number {
  const planned = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS)
  return Math.round(planned * (0.8 + (0.4 * random(2).readUInt16BE()) / 65_535))
}

/**
 * Describes a failure for the log with only codes and our own texts, because servers repeat addresses in their
 * responses.
 */
function describeMailFailure(failure: Error): string {
  if (failure instanceof MailRefused && !failure.message.includes('@')) return failure.message.slice(0, 100)
  const codes = ['code', 'responseCode'].map((name) => Object.getOwnPropertyDescriptor(failure, name)?.value as unknown)
  const shown = codes.filter(
    (code) => typeof code === 'number' || (typeof code === 'string' && /^\w{1,40}$/.test(code)),
  )
  return [failure.name, ...shown].join(' ')
}

/** A queued mail that only this process may send until `claimedUntilMs`. */
interface ClaimedMail {
  readonly id: string
  readonly sealed: string
  /** Including this attempt. */
  readonly attempts: number
  readonly createdAtMs: number
  readonly claimedUntilMs: number
}

/** Rows of `gatepost_mail`. */
interface MailRows {
  add(db: AuthDb, mail: { readonly id: string; readonly sealed: string }, nowMs: number): Promise<void>
  /**
   * Claims up to `limit` due, unclaimed mails. First attempts go before retries, so that undeliverable mail doesn't
   * hold up the rest. Ignores times further ahead than any delay, which were written before the clock was set back.
   */
  claim(limit: number, nowMs: number, untilMs: number): Promise<readonly ClaimedMail[]>
  remove(mail: ClaimedMail): Promise<void>
  /** Releases the mail until `dueAtMs`. Does nothing if another process has claimed it meanwhile. */
  putBack(mail: ClaimedMail, dueAtMs: number): Promise<void>
  /** Returns when the next mail may be claimed, or `null` when the queue is empty. */
  nextMs(): Promise<number | null>
}

/** Longer than any retry delay or claim. */
const FARTHEST_MS = 6 * 3_600_000

/** Creates the statements. All processes that share the database may claim mail, but only one at a time has a mail. */
function sqlMailRows(database: Database<AuthTables>): MailRows {
  const { db } = database
  return {
    async add(on, { id, sealed }, nowMs) {
      const times = { due_at_ms: nowMs, created_at_ms: nowMs, claimed_until_ms: null }
      await on
        .insertInto('gatepost_mail')
        .values({ id, message: sealed, attempts: 0, ...times })
        .execute()
    },
    claim: async (limit, nowMs, untilMs) => claimDueMail(database, { limit, nowMs, untilMs }),
    async remove({ id }) {
      await db.deleteFrom('gatepost_mail').where('id', '=', id).execute()
    },
    async putBack({ id, claimedUntilMs }, dueAtMs) {
      await db
        .updateTable('gatepost_mail')
        .set({ claimed_until_ms: null, due_at_ms: dueAtMs })
        .where('id', '=', id)
        .where('claimed_until_ms', '=', claimedUntilMs)
        .execute()
    },
    async nextMs() {
      const due = sql<
        number | null
      >`min(case when claimed_until_ms > due_at_ms then claimed_until_ms else due_at_ms end)`
      const row = await db.selectFrom('gatepost_mail').select(due.as('next')).executeTakeFirst()
      return row?.next ?? null
    },
  }
}

interface Claim {
  readonly limit: number
  readonly nowMs: number
  readonly untilMs: number
}

/**
 * Claims due mail. Selects in a materialized CTE, because PostgreSQL might run a subquery several times with different
 * results.
 */
async function claimDueMail(
  { db, dialect }: Database<AuthTables>,
  { limit, nowMs, untilMs }: Claim,
): Promise<ClaimedMail[]> {
  const due = db
    .selectFrom('gatepost_mail')
    .select('id')
    .where((row) => row.or([row('due_at_ms', '<=', nowMs), row('due_at_ms', '>', nowMs + FARTHEST_MS)]))
    .where((row) =>
      row.or([
        row('claimed_until_ms', 'is', null),
        row('claimed_until_ms', '<=', nowMs),
        row('claimed_until_ms', '>', nowMs + FARTHEST_MS),
      ]),
    )
    .orderBy('attempts')
    .orderBy('due_at_ms')
    .limit(limit)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked())
  const rows = await db
    .with(
      (chosen) => chosen('chosen').materialized(),
      () => due,
    )
    .updateTable('gatepost_mail')
    .set((row) => ({ claimed_until_ms: untilMs, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('chosen').select('chosen.id'))
    .returning(['id', 'message', 'attempts', 'created_at_ms'])
    .execute()
  return rows.map(({ id, message, attempts, created_at_ms }) => ({
    id,
    sealed: message,
    attempts,
    createdAtMs: created_at_ms,
    claimedUntilMs: untilMs,
  }))
}

/** A sleep that can be interrupted. */
interface WakeUp {
  /** Ends the current sleep, or the next one if there's none. */
  wake(): void
  sleep(ms: number): Promise<void>
}

/** Creates a `WakeUp` for one sleeper. */
function createWakeUp(clock: Clock): WakeUp {
  let interrupt = new AbortController()
  return {
    wake: () => interrupt.abort(),
    async sleep(ms) {
      await clock.sleep(ms, interrupt.signal)
      interrupt = new AbortController()
    },
  }
}

/** Sending a mail timed out. */
class MailTimeout extends Error {
  override readonly name = 'MailTimeout'
}

/**
 * Runs `work` for at most `limitMs` or until `stop` aborts. Then aborts its signal and stops waiting, even if `work`
 * ignores the signal.
 * @throws {MailTimeout} after the time limit or if `stop` aborts; also whatever `work` throws
 */
async function withinLimit(
  work: (signal: AbortSignal) => Promise<void>,
  limits: { readonly clock: Clock; readonly limitMs: number; readonly stop: AbortSignal },
): Promise<void> {
  const { clock, limitMs, stop } = limits
  const over = new AbortController()
  const finished = new AbortController()
  const expiry = clock.sleep(limitMs, AbortSignal.any([finished.signal, stop])).then(() => {
    if (!finished.signal.aborted) over.abort()
    throw new MailTimeout('Sending the mail timed out.')
  })
  try {
    await Promise.race([work(over.signal), expiry])
  } finally {
    finished.abort()
  }
}
