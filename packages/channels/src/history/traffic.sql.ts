import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { ConfiguredBot } from './bots.ts'
import type { AnswerTimes, Traffic, TrafficCounts, TrafficSpan } from './history.ts'

/** Steps `from` up to but not including `to` of the time range `startMs` to `endMs`. */
interface Steps {
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
  readonly from: number
  readonly to: number
}

/** Number of a bot's rows that reached a state in a step. */
interface StateCount {
  readonly bot: string
  readonly step: number
  readonly state: string
  readonly n: number
}

/** Number of replies in a step that took this long. */
interface TimeCount {
  readonly step: number
  /** Milliseconds, the middle of the bucket. */
  readonly ms: number
  readonly n: number
}

const toLiterals = ({ startMs, endMs, stepMs, from, to }: Steps) => ({
  start: sql.lit(startMs),
  step: sql.lit(stepMs),
  first: sql.lit(startMs + from * stepMs),
  end: sql.lit(Math.min(endMs, startMs + to * stepMs)),
})

/** Counts messages by the time they were received. */
const countMessages = (
  database: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly StateCount[]> => countStates(database, { bots, steps, table: 'message', at: 'received_at_ms' })

/** Counts deliveries by the time their outcome was stored. */
const countOutcomes = (
  database: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly StateCount[]> =>
  countStates(database, { bots, steps, table: 'delivery', at: 'updated_at_ms', which: sql`and ${HAS_OUTCOME}` })

// literally as in the index: only then can the databases use it
const HAS_OUTCOME = sql`state in ('delivered', 'refused', 'unknown')`

interface Counted {
  readonly bots: readonly string[]
  readonly steps: Steps
  readonly table: 'message' | 'delivery'
  /** A column, milliseconds since the Unix epoch. */
  readonly at: string
  readonly which?: RawBuilder<unknown>
}

async function countStates(
  { db }: Database<ChannelTables>,
  { bots, steps, table, at, which = sql`` }: Counted,
): Promise<readonly StateCount[]> {
  const { start, step, first, end } = toLiterals(steps)
  const column = sql.ref(at)
  const { rows } = await sql<StateCount>`
    select bot, step, state, count(*) as n from (
      select bot, state, (${column} - ${start}) / ${step} as step from ${sql.table(table)}
      where bot in (${sql.join(bots)}) and ${column} >= ${first} and ${column} < ${end} ${which}
    ) as counted group by bot, step, state`.execute(db)
  return rows.map((row) => ({ ...row, step: Number(row.step), n: Number(row.n) }))
}

/**
 * Counts replies by how long they took. From one second on, buckets are at most 5 percent wide, below that 50 ms, so that
 * there are few enough to merge.
 */
async function countAnswerTimes(
  { db }: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly TimeCount[]> {
  const { start, step, first, end } = toLiterals(steps)
  const { rows } = await sql<{ step: number; class: number; width: number; n: number }>`
    select step, width, ms / width as class, count(*) as n from (
      select step, ms, case when ms < 1000 then 10 when ms < 10000 then 50 when ms < 100000 then 500
        when ms < 1000000 then 5000 else 50000 end as width
      from (
        select (updated_at_ms - ${start}) / ${step} as step, updated_at_ms - received_at_ms as ms from delivery
        where bot in (${sql.join(bots)}) and updated_at_ms >= ${first} and updated_at_ms < ${end}
          and ${HAS_OUTCOME} and state = 'delivered' and kind = 'reply'
          and received_at_ms <= updated_at_ms
      ) as answered
    ) as classed group by step, width, ms / width`.execute(db)
  return rows.map(({ step: at, class: of, width, n }) => ({
    step: Number(at),
    ms: (Number(of) + 0.5) * Number(width),
    n: Number(n),
  }))
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS]
const MAX_STEPS = 100
const LONGEST_MS = 92 * DAY_MS
/** Steps per statement: few, so that other work is not delayed. */
const STEPS_AT_ONCE = 10

type Counts = { [Name in keyof TrafficCounts<number>]: number[] }

/**
 * Counts what these bots received and sent.
 * @throws {ChannelError} `span_invalid`
 */
export async function countTraffic(
  database: Database<ChannelTables>,
  configured: readonly ConfiguredBot[],
  span: TrafficSpan,
  nowMs: number,
): Promise<Traffic> {
  const to = span.to ?? nowMs
  const from = span.from ?? Math.max(0, to - DAY_MS)
  if (from >= to || to - from > LONGEST_MS) throw new ChannelError('span_invalid')
  const stepMs = STEPS_MS.find((step) => to - from <= step * MAX_STEPS) ?? DAY_MS
  const length = Math.ceil((to - from) / stepMs)
  const bots = configured.map(({ bot }) => bot)
  const counts = new Map(bots.map((bot) => [bot, createCounts(length)]))
  const times = Array.from({ length }, (): TimeCount[] => [])
  for (let at = 0; at < length && bots.length > 0; at += STEPS_AT_ONCE) {
    const steps = { startMs: from, endMs: to, stepMs, from: at, to: Math.min(length, at + STEPS_AT_ONCE) }
    // on SQLite a statement blocks the process: let other work run in between
    if (at > 0) await nextTick()
    for (const row of await countMessages(database, bots, steps)) addMessages(counts.get(row.bot), row)
    for (const row of await countOutcomes(database, bots, steps)) addOutcomes(counts.get(row.bot), row)
    for (const row of await countAnswerTimes(database, bots, steps)) times[row.step]?.push(row)
  }
  const platforms = configured.map(({ platform, bot }) => ({ platform, ...(counts.get(bot) ?? createCounts(length)) }))
  return {
    from,
    to,
    step_ms: stepMs,
    platforms,
    answer_ms: times.map(toPercentiles),
    totals: { ...sumCounts(platforms), answer_ms: toPercentiles(times.flat()) },
  }
}

const NAMES = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const

function createCounts(length: number): Counts {
  const none = (): number[] => Array.from({ length }, () => 0)
  return { received: none(), answered: none(), failed: none(), delivered: none(), refused: none(), unknown: none() }
}

function addMessages(counts: Counts | undefined, { step, state, n }: StateCount): void {
  add(counts?.received, step, n)
  if (state === 'answered' || state === 'failed') add(counts?.[state], step, n)
}

function addOutcomes(counts: Counts | undefined, { step, state, n }: StateCount): void {
  if (state === 'delivered' || state === 'refused' || state === 'unknown') add(counts?.[state], step, n)
}

function add(steps: number[] | undefined, step: number, n: number): void {
  if (steps) steps[step] = (steps[step] ?? 0) + n
}

function sumCounts(platforms: readonly Counts[]): TrafficCounts<number> {
  const [received, answered, failed, delivered, refused, unknown] = NAMES.map((name) =>
    platforms.reduce((sum, counts) => counts[name].reduce((of, n) => of + n, sum), 0),
  )
  return {
    received: received ?? 0,
    answered: answered ?? 0,
    failed: failed ?? 0,
    delivered: delivered ?? 0,
    refused: refused ?? 0,
    unknown: unknown ?? 0,
  }
}

/** Returns the 50th and 95th percentile of reply times, as exact as their buckets. */
function toPercentiles(counted: readonly TimeCount[]): AnswerTimes | null {
  if (counted.length === 0) return null
  const rising = counted.toSorted((a, b) => a.ms - b.ms)
  const all = rising.reduce((sum, { n }) => sum + n, 0)
  const at = (share: number): number => {
    let left = Math.ceil(all * share)
    for (const { ms, n } of rising) {
      left -= n
      if (left <= 0) return ms
    }
    return rising.at(-1)?.ms ?? 0
  }
  return { p50: at(0.5), p95: at(0.95) }
}
