import { createHash } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { toRateLimitKey } from '../http/request-headers.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { RateLimits, RateResult, RateSubject } from './rate-limits.ts'

/** A rate of at most `amount` within any `periodMs` milliseconds per IP address, user, or key. */
interface Rate extends LoggedRate {
  readonly per: 'ip' | 'user' | 'key'
}

/** The rates of each action, all of which must pass; `null` for no limit. */
export type RatesByAction = Readonly<Record<string, readonly Rate[] | null>>

/** A rate and the key of the row that counts one subject. */
interface Slot {
  readonly key: string
  readonly rate: Rate
}

const SWEEP_BATCH = 1_000

/**
 * Port: `RateLimits` in rate-limits.ts. Keeps a sliding log per rate and subject; refusing takes only a read. Don't
 * call it inside a transaction, because a rollback would lose the count. `take` and `check` throw {AuthError}
 * `address_unknown` if the rate needs an IP address and it's unknown, and `settings_invalid` if a rate counts by a
 * subject that the action lacks. An unknown action is a bug.
 */
export function sqlRateLimits(database: Database<AuthTables>, rates: RatesByAction): RateLimits {
  const stored = sqlRateRows(database)
  const findRates = (action: string): readonly Rate[] => {
    const found = Object.hasOwn(rates, action) ? rates[action] : undefined
    if (found === undefined) throw new Error(`Unknown rate limit: ${action}`)
    return found ?? []
  }
  return {
    async take(action, subject, nowMs) {
      const slots = buildSlots(action, findRates(action), subject)
      return slots.length === 0 ? UNLIMITED : takeAllSlots(stored, slots, nowMs)
    },
    async check(action, subject, nowMs) {
      const slots = buildSlots(action, findRates(action), subject)
      if (slots.length === 0) return UNLIMITED
      return findRefusal(await readLogs(stored, slots), nowMs) ?? UNLIMITED
    },
    async clear(action, { key }) {
      const perKey = findRates(action).filter(({ per }) => per === 'key')
      // One statement per row: a statement with several could lock them in a different order than others do.
      for (const slot of buildSlots(action, perKey, { key })) {
        await database.db.deleteFrom('gatepost_rate').where('key', '=', slot.key).execute()
      }
    },
    sweep: async (nowMs) => sweep(database, nowMs),
  }
}

const UNLIMITED: RateResult = { allowed: true, giveBack: async () => {} }

/** A slot with its stored row. */
interface RateLog extends Slot {
  readonly row: RateRow
  readonly stamps: readonly number[]
}

async function readLogs(stored: RateRows, slots: readonly Slot[]): Promise<readonly RateLog[]> {
  const rows = await stored.read(slots.map(({ key }) => key))
  return slots.map((slot, at) => {
    const row = rows[at] ?? { key: slot.key, stamps: '[]' }
    return { ...slot, row, stamps: readStamps(row.stamps) }
  })
}

async function takeAllSlots(stored: RateRows, slots: readonly Slot[], nowMs: number): Promise<RateResult> {
  let taken: readonly RateLog[] = []
  for (;;) {
    const logs = await readLogs(stored, slots)
    const full = findRefusal(logs, nowMs)
    if (full !== null) return full
    const changes = logs.map((log) => toRateChange(log, addStamp(liveStamps(log.stamps, log.rate, nowMs), nowMs)))
    taken = logs.map((log, at) => applyChange(log, changes[at]))
    if (await stored.exchange(changes)) break // otherwise another process was faster and made progress
  }
  let given = false
  return {
    allowed: true,
    async giveBack() {
      if (given) return
      given = true
      await releaseAllSlots(stored, taken, nowMs)
    },
  }
}

/** @param taken The rows as they were after `take`, which they usually still are. */
async function releaseAllSlots(stored: RateRows, taken: readonly RateLog[], takenAtMs: number): Promise<void> {
  for (let now = taken; ; now = await readLogs(stored, taken)) {
    const logs = now.filter(({ stamps }) => stamps.includes(takenAtMs))
    const changes = logs.map((log) => toRateChange(log, removeStamp(log.stamps, takenAtMs)))
    if (changes.length === 0 || (await stored.exchange(changes))) return
  }
}

const applyChange = (log: RateLog, change: RateChange | undefined): RateLog => {
  const { key, row, rate } = log
  const stamps = change?.stamps ?? row.stamps
  return { key, rate, row: { ...row, stamps }, stamps: readStamps(stamps) }
}

const toRateChange = ({ row, rate }: RateLog, stamps: readonly number[]): RateChange => ({
  before: row,
  stamps: JSON.stringify(stamps),
  expiresAtMs: (stamps[0] ?? 0) + rate.periodMs,
})

/** Builds the slots of an action. A duplicate rate counts once. */
function buildSlots(action: string, rates: readonly Rate[], subject: RateSubject): readonly Slot[] {
  const slots = new Map<string, Slot>()
  for (const rate of rates) {
    const key = `${action}:${rate.amount}/${rate.periodMs}/${buildSlotSubject(action, rate, subject)}`
    slots.set(key, { key, rate })
  }
  return [...slots.values()]
}

function buildSlotSubject(action: string, { per }: Rate, { ip, userId, key }: RateSubject): string {
  if (per === 'ip') {
    const counted = typeof ip === 'string' ? toRateLimitKey(ip) : null
    if (counted === null) throw new AuthError('address_unknown')
    return `ip:${counted}`
  }
  if (per === 'user' && userId !== undefined) return `user:${userId}`
  if (per === 'key' && key !== undefined) return `key:${createHash('sha256').update(key).digest('hex')}`
  throw new AuthError('settings_invalid', { details: { action, per } })
}

/** Returns `null` if all rates have room, otherwise a refusal with the longest wait. */
function findRefusal(logs: readonly RateLog[], nowMs: number): Extract<RateResult, { allowed: false }> | null {
  const retryAfterMs = Math.max(...logs.map(({ stamps, rate }) => waitMs(liveStamps(stamps, rate, nowMs), rate, nowMs)))
  return retryAfterMs === 0 ? null : { allowed: false, retryAfterMs }
}

/** Deletes expired rows in small batches, so that other writers don't wait long. Skips locked rows. */
async function sweep(database: Database<AuthTables>, nowMs: number): Promise<void> {
  for (;;) {
    const expired = database.db
      .selectFrom('gatepost_rate')
      .select('key')
      .where('expires_at_ms', '<=', nowMs)
      .limit(SWEEP_BATCH)
      .$if(database.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    const result = await database.db.deleteFrom('gatepost_rate').where('key', 'in', expired).executeTakeFirst()
    if (result.numDeletedRows < SWEEP_BATCH) return
  }
}

/** A stored row. A missing row is read as an empty list. */
interface RateRow {
  readonly key: string
  /** JSON, an array of milliseconds since the Unix epoch. */
  readonly stamps: string
}

/** A change of a row from `before` to the new values. */
interface RateChange {
  readonly before: RateRow
  readonly stamps: string
  readonly expiresAtMs: number
}

/** Reads and compare-and-swaps several rows of `gatepost_rate` together. */
interface RateRows {
  /** Returns the rows in the order of `keys`. */
  read(keys: readonly string[]): Promise<readonly RateRow[]>
  /** Makes all changes if every row still equals its `before`, otherwise none. Returns whether it made them. */
  exchange(changes: readonly RateChange[]): Promise<boolean>
}

/**
 * Implements `RateRows`. Every login comes here several times, so the SQL texts are cached by number of rows. On
 * SQLite, a statement has the database to itself. On PostgreSQL it doesn't, so the rows are first locked in key order,
 * after creating the missing ones.
 */
function sqlRateRows(database: Database<AuthTables>): RateRows {
  const { db, dialect } = database
  const readText = cacheSqlText(db, readStatement)
  const lockText = cacheSqlText(db, lockStatement)
  const exchangeText = cacheSqlText(db, exchangeStatement)

  const exchangeOn = async (on: Kysely<AuthTables>, changes: readonly RateChange[]): Promise<boolean> => {
    const rows = changes.flatMap(({ before, stamps, expiresAtMs }) => [before.key, stamps, expiresAtMs])
    const conditions = changes.flatMap(({ before }) => [before.key, before.stamps])
    const query = CompiledQuery.raw(exchangeText(changes.length), [...rows, ...conditions])
    return ((await on.executeQuery(query)).numAffectedRows ?? 0n) > 0n
  }
  return {
    async read(keys) {
      const { rows } = await db.executeQuery<RateRow>(CompiledQuery.raw(readText(keys.length), [...keys]))
      return keys.map((key) => rows.find((row) => row.key === key) ?? { key, stamps: '[]' })
    },
    async exchange(changes) {
      if (dialect === 'sqlite') return exchangeOn(db, changes)
      const sorted = changes.toSorted((a, b) => (a.before.key < b.before.key ? -1 : 1))
      return database.transaction(async (tx) => {
        const keys = sorted.map(({ before }) => before.key)
        await tx.executeQuery(CompiledQuery.raw(lockText(keys.length), keys))
        return exchangeOn(tx, sorted)
      })
    },
  }
}

type Statement = (count: number) => RawBuilder<unknown>

const cacheSqlText = (db: Kysely<AuthTables>, statement: Statement): ((count: number) => string) => {
  const texts = new Map<number, string>()
  return (count) => {
    const known = texts.get(count)
    if (known !== undefined) return known
    const text = statement(count).compile(db).sql
    texts.set(count, text)
    return text
  }
}

const repeatSql = (count: number, part: RawBuilder<unknown>, separator: string): RawBuilder<unknown> =>
  sql.join(
    Array.from({ length: count }, () => part),
    sql.raw(separator),
  )

const readStatement: Statement = (count) =>
  sql`select key, stamps from gatepost_rate where key in (${repeatSql(count, sql`${''}`, ', ')})`

const lockStatement: Statement = (count) => sql`
  insert into gatepost_rate (key, stamps, expires_at_ms) values ${repeatSql(count, sql`(${''}, '[]', 0)`, ', ')}
  on conflict (key) do update set expires_at_ms = gatepost_rate.expires_at_ms`

const exchangeStatement: Statement = (count) => sql`
  insert into gatepost_rate (key, stamps, expires_at_ms)
  select * from (values ${repeatSql(count, sql`(cast(${''} as text), cast(${''} as text), cast(${0} as bigint))`, ', ')}) as changed
  where ${repeatSql(count, sql`coalesce((select stamps from gatepost_rate where key = ${''}), '[]') = ${''}`, ' and ')}
  on conflict (key) do update set stamps = excluded.stamps, expires_at_ms = excluded.expires_at_ms`

/** A rate of at most `amount` within any `periodMs` milliseconds. */
interface LoggedRate {
  readonly amount: number
  readonly periodMs: number
}

/** Parses the timestamps of a row. @param stored JSON, an array of milliseconds since the Unix epoch. */
export function readStamps(stored: string): readonly number[] {
  const parsed: unknown = JSON.parse(stored)
  if (!Array.isArray(parsed)) throw new Error('A stored rate is not a list of timestamps.')
  const entries: readonly unknown[] = parsed
  return entries.filter((stamp) => typeof stamp === 'number')
}

/**
 * Returns the timestamps that still count, newest first. Drops those more than a period ahead, which were written
 * before the clock was set back.
 */
export function liveStamps(stamps: readonly number[], { periodMs }: LoggedRate, nowMs: number): readonly number[] {
  return stamps
    .filter((stamp) => stamp > nowMs - periodMs && stamp <= nowMs + periodMs)
    .toSorted((newer, older) => older - newer)
}

/** Returns how long to wait until there's room for one more, in milliseconds; 0 if there's room now. */
export function waitMs(counted: readonly number[], { amount, periodMs }: LoggedRate, nowMs: number): number {
  if (counted.length < amount) return 0
  const leavesNext = counted[amount - 1]
  return leavesNext === undefined ? periodMs : Math.max(1, leavesNext + periodMs - nowMs)
}

/** Returns the log with one more entry, sorted, because the clocks of processes may differ. */
export function addStamp(counted: readonly number[], stamp: number): readonly number[] {
  return [stamp, ...counted].toSorted((newer, older) => older - newer)
}

/** Returns the log without one entry at this time. Attempts in the same millisecond are interchangeable. */
export function removeStamp(stamps: readonly number[], stamp: number): readonly number[] {
  const at = stamps.indexOf(stamp)
  return at === -1 ? stamps : stamps.toSpliced(at, 1)
}
