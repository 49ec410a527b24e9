import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '@gatepost/sql'
import { ChannelError } from '../errors.ts'
import type { ChannelTables } from '../schema.ts'
import type { ConfiguredBot } from './bots.ts'
import type { AnswerTimes, Traffic, TrafficCounts, TrafficSpan } from './traffic.ts'
import { countAnswerTimes, countMessages, countOutcomes, type StateCount, type TimeCount } from './traffic.sql.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS]
const MOST_STEPS = 100
const LONGEST_MS = 92 * DAY_MS
/** Counted by one statement: no other waits long for it. */
const STEPS_AT_ONCE = 10

type Counts = { [Name in keyof TrafficCounts<number>]: number[] }

/**
 * How much these bots received and sent.
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
  const stepMs = STEPS_MS.find((step) => to - from <= step * MOST_STEPS) ?? DAY_MS
  const length = Math.ceil((to - from) / stepMs)
  const bots = configured.map(({ bot }) => bot)
  const counts = new Map(bots.map((bot) => [bot, noCounts(length)]))
  const times = Array.from({ length }, (): TimeCount[] => [])
  for (let at = 0; at < length && bots.length > 0; at += STEPS_AT_ONCE) {
    const steps = { startMs: from, endMs: to, stepMs, from: at, to: Math.min(length, at + STEPS_AT_ONCE) }
    // on SQLite a statement keeps the process: what waits comes in between
    if (at > 0) await nextTick()
    for (const row of await countMessages(database, bots, steps)) addMessages(counts.get(row.bot), row)
    for (const row of await countOutcomes(database, bots, steps)) addOutcomes(counts.get(row.bot), row)
    for (const row of await countAnswerTimes(database, bots, steps)) times[row.step]?.push(row)
  }
  const platforms = configured.map(({ platform, bot }) => ({ platform, ...(counts.get(bot) ?? noCounts(length)) }))
  return {
    from,
    to,
    step_ms: stepMs,
    platforms,
    answer_ms: times.map(answerTimes),
    totals: { ...totalsOf(platforms), answer_ms: answerTimes(times.flat()) },
  }
}

const NAMES = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const

function noCounts(length: number): Counts {
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

function totalsOf(platforms: readonly Counts[]): TrafficCounts<number> {
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

/** The times that half, and 19 of 20, of the answers did not exceed, as exact as their classes. */
function answerTimes(counted: readonly TimeCount[]): AnswerTimes | null {
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
