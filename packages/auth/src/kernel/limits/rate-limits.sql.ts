import { createHash } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { toRateLimitKey } from '../http/request-headers.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { RateLimits, RateResult, RateSubject } from './rate-limits.ts'

/** At most `amount` within any `periodMs` milliseconds for each client address, user or text. */
interface Rate extends LoggedRate {
  readonly per: 'ip' | 'user' | 'key'
}

/** Action -> rates that must all pass; `null`: not limited. */
export type RatesByAction = Readonly<Record<string, readonly Rate[] | null>>

/** One rate and whom it counts: a row. */
interface Slot {
  readonly key: string
  readonly rate: Rate
}

const SWEEP_BATCH = 1_000

/**
 * Port: `RateLimits` in rate-limits.ts. A sliding log per rate and subject; a full one is refused after a read alone.
 * No call may run inside a transaction, whose rollback would lose the count. `take` and `check` throw {AuthError}
 * `address_unknown` if the rate needs an IP address and it is unknown, and `settings_invalid` if a rate counts by a
 * subject that the action lacks; an unknown action is a programming error.
 */
export function sqlRateLimits(database: Database<AuthTables>, rates: RatesByAction): RateLimits {
  const stored = sqlRateRows(database)
  const findRates = (action: string): readonly Rate[] => {
    const found = Object.hasOwn(rates, action) ? rates[action] : undefined
    if (found === undefined) throw new Error(`There is no rate limit of this name: ${action}`)
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
      // One statement each: two locks in one could be taken in another order than elsewhere.
      for (const slot of buildSlots(action, perKey, { key })) {
        await database.db.deleteFrom('gatepost_rate').where('key', '=', slot.key).execute()
      }
    },
    sweep: async (nowMs) => sweep(database, nowMs),
  }
}

const UNLIMITED: RateResult = { allowed: true, giveBack: async () => {} }

/** A row that is being decided on. */
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

/** @param taken Rows as they were after the taking: usually they still are. */
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

/** A rate that is named twice counts once. */
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

/** `null` when all rates have a place left; else the longest wait. */
function findRefusal(logs: readonly RateLog[], nowMs: number): Extract<RateResult, { allowed: false }> | null {
  const retryAfterMs = Math.max(...logs.map(({ stamps, rate }) => waitMs(liveStamps(stamps, rate, nowMs), rate, nowMs)))
  return retryAfterMs === 0 ? null : { allowed: false, retryAfterMs }
}

/** In small steps, so that nobody waits long; rows that are in use are not waited for. */
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

/** A row as it is stored; an absent one is an empty list. */
interface RateRow {
  readonly key: string
  /** JSON, an array of milliseconds since the Unix epoch. */
  readonly stamps: string
}

/** What a row is to become. */
interface RateChange {
  readonly before: RateRow
  readonly stamps: string
  readonly expiresAtMs: number
}

/** Rows of `gatepost_rate`, read and exchanged together. */
interface RateRows {
  /** In the order of `keys`. */
  read(keys: readonly string[]): Promise<readonly RateRow[]>
  /** Makes all changes when every row is still as it was before, else none. Answers which. */
  exchange(changes: readonly RateChange[]): Promise<boolean>
}

/**
 * Every sign-in passes here several times, so that the texts of the statements are made once for each number of rows.
 * On SQLite a statement is alone with the database. On PostgreSQL it is not: the rows, also those that are not there yet,
 * are locked first, in the order of their keys.
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

/** At most `amount` within any `periodMs` milliseconds. */
interface LoggedRate {
  readonly amount: number
  readonly periodMs: number
}

/** @param stored JSON, an array of milliseconds since the Unix epoch. */
export function readStamps(stored: string): readonly number[] {
  const parsed: unknown = JSON.parse(stored)
  if (!Array.isArray(parsed)) throw new Error('A stored rate is not a list of time stamps.')
  const entries: readonly unknown[] = parsed
  return entries.filter((stamp) => typeof stamp === 'number')
}

/**
 * The time stamps that still count, newest first. One further ahead than a period was written by a clock that has been
 * set back since, and is dropped.
 */
export function liveStamps(stamps: readonly number[], { periodMs }: LoggedRate, nowMs: number): readonly number[] {
  return stamps
    .filter((stamp) => stamp > nowMs - periodMs && stamp <= nowMs + periodMs)
    .toSorted((newer, older) => older - newer)
}

/** How long until one more fits, in milliseconds: 0 when it fits now. */
export function waitMs(counted: readonly number[], { amount, periodMs }: LoggedRate, nowMs: number): number {
  if (counted.length < amount) return 0
  const leavesNext = counted[amount - 1]
  return leavesNext === undefined ? periodMs : Math.max(1, leavesNext + periodMs - nowMs)
}

/** The log with one more entry; clocks of several processes may differ. */
export function addStamp(counted: readonly number[], stamp: number): readonly number[] {
  return [stamp, ...counted].toSorted((newer, older) => older - newer)
}

/** Returns the log without one entry of this time; several attempts of one millisecond are interchangeable. */
export function removeStamp(stamps: readonly number[], stamp: number): readonly number[] {
  const at = stamps.indexOf(stamp)
  return at === -1 ? stamps : stamps.toSpliced(at, 1)
}
