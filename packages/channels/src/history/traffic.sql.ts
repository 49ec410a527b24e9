import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import type { ChannelTables } from '../schema.ts'

/** Steps `from` to `to` (of which the last is not one of them) of a span from `startMs` to `endMs`. */
export interface Steps {
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
  readonly from: number
  readonly to: number
}

/** How many rows of a bot came to a state in a step. */
export interface StateCount {
  readonly bot: string
  readonly step: number
  readonly state: string
  readonly n: number
}

/** How many answers of a step took so long. */
export interface TimeCount {
  readonly step: number
  /** Milliseconds, the middle of the class. */
  readonly ms: number
  readonly n: number
}

const numbers = ({ startMs, endMs, stepMs, from, to }: Steps) => ({
  start: sql.lit(startMs),
  step: sql.lit(stepMs),
  first: sql.lit(startMs + from * stepMs),
  end: sql.lit(Math.min(endMs, startMs + to * stepMs)),
})

/** Messages by when they were accepted. */
export const countMessages = (
  database: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly StateCount[]> => countStates(database, { bots, steps, table: 'message', at: 'received_at_ms' })

/** Deliveries by when their outcome was stored. */
export const countOutcomes = (
  database: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly StateCount[]> =>
  countStates(database, { bots, steps, table: 'delivery', at: 'updated_at_ms', which: sql`and ${HAS_OUTCOME}` })

// as in the index, word by word: only then do the databases see that it serves
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
  const { start, step, first, end } = numbers(steps)
  const column = sql.ref(at)
  const { rows } = await sql<StateCount>`
    select bot, step, state, count(*) as n from (
      select bot, state, (${column} - ${start}) / ${step} as step from ${sql.table(table)}
      where bot in (${sql.join(bots)}) and ${column} >= ${first} and ${column} < ${end} ${which}
    ) as counted group by bot, step, state`.execute(db)
  return rows.map((row) => ({ ...row, step: Number(row.step), n: Number(row.n) }))
}

/**
 * How long answers took, in classes that are at most 5 percent of it wide, from one second on, and 50 ms below: so few
 * that they can be put together.
 */
export async function countAnswerTimes(
  { db }: Database<ChannelTables>,
  bots: readonly string[],
  steps: Steps,
): Promise<readonly TimeCount[]> {
  const { start, step, first, end } = numbers(steps)
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
