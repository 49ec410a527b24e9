import type { Database } from '@gatepost/sql'
import { z } from 'zod'
import { type GapReason, toGapReason } from '../gap-reasons.ts'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** A time range in which messages may have been lost, in milliseconds since the Unix epoch. */
export interface Gap extends GapReason {
  readonly from: number
  readonly to: number
}

const MAX_GAPS = 20
/** The text is stored as well: gaps of earlier versions have no code, and this version may not know those of a later one. */
const gapsSchema = z.array(
  z.object({
    from: z.number(),
    to: z.number(),
    why: z.string(),
    reason_code: z.string().nullable().default(null),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  }),
)

/** Returns a bot's gaps, newest first. */
export async function readGaps(database: Database<ChannelTables>, bot: string): Promise<readonly Gap[]> {
  const row = await database.db.selectFrom('bot').select('gaps_json').where('bot', '=', bot).executeTakeFirst()
  return row ? gapsSchema.parse(JSON.parse(row.gaps_json)) : []
}

/**
 * Adds a gap and merges those that overlap for the same reason. Only the newest 20 are kept.
 * @throws {ChannelError} `lease_lost`
 */
export async function recordGap(handle: BotHandle, gap: Gap): Promise<void> {
  await handle.write(async (tx) => {
    const row = await tx.selectFrom('bot').select('gaps_json').where('bot', '=', handle.bot).executeTakeFirst()
    const before = row ? gapsSchema.parse(JSON.parse(row.gaps_json)) : []
    const gaps_json = JSON.stringify(mergeGap(before, gap).slice(0, MAX_GAPS))
    await tx
      .insertInto('bot')
      .values({ bot: handle.bot, cursor: null, gaps_json })
      .onConflict((c) => c.column('bot').doUpdateSet({ gaps_json }))
      .execute()
  })
}

function mergeGap(before: readonly Gap[], gap: Gap): readonly Gap[] {
  const isOne = (one: Gap): boolean => one.why === gap.why && one.from <= gap.to && gap.from <= one.to
  const whole = before
    .filter(isOne)
    .reduce((all, one) => ({ ...all, from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), gap)
  return [whole, ...before.filter((one) => !isOne(one))].toSorted((a, b) => b.to - a.to)
}

interface SilenceOptions {
  readonly handle: BotHandle
  /** How long the platform keeps undelivered messages, in milliseconds; `null`: unknown. */
  readonly replayMs: number | null
  readonly clock: Clock
  readonly log: Log
}

/** Detects that a bot was offline for longer than its platform keeps messages, also across restarts. */
export interface SilenceWatch {
  /** Records a heartbeat. Never throws: failures to store it are logged. */
  heard(): void
  /** Returns the last heartbeat, milliseconds since the Unix epoch; `null`: never. Up to a minute early after a restart. */
  lastHeardMs(): number | null
}

/** How often the time is stored: a gap starts at most this much too early. */
const STORE_EVERY_MS = 60_000

/** Starts the detection. @throws when the database cannot be read. */
export async function watchSilence({ handle, replayMs, clock, log }: SilenceOptions): Promise<SilenceWatch> {
  const { bot, database } = handle
  const row = await database.db.selectFrom('bot').select('heard_at_ms').where('bot', '=', bot).executeTakeFirst()
  let heardAtMs = row?.heard_at_ms ?? null
  let storedAtMs = heardAtMs

  async function store(nowMs: number): Promise<void> {
    await handle.write((tx) =>
      tx
        .insertInto('bot')
        .values({ bot, cursor: null, gaps_json: '[]', heard_at_ms: nowMs })
        .onConflict((c) => c.column('bot').doUpdateSet({ heard_at_ms: nowMs }))
        .execute(),
    )
  }

  async function recordMissed(fromMs: number, toMs: number): Promise<void> {
    const reason = toGapReason('offline_too_long')
    log.warn('The platform may have lost messages', { bot, fromMs, toMs, why: reason.why })
    await recordGap(handle, { from: fromMs, to: toMs, ...reason })
  }

  return {
    lastHeardMs: () => heardAtMs,
    heard() {
      const nowMs = clock.now()
      const onError = (error: unknown): void =>
        log.error("Couldn't store the time of the last heartbeat", { bot, error })
      if (replayMs !== null && heardAtMs !== null && nowMs - heardAtMs > replayMs) {
        recordMissed(heardAtMs, nowMs - replayMs).catch(onError)
      }
      heardAtMs = nowMs
      if (storedAtMs !== null && nowMs - storedAtMs < STORE_EVERY_MS) return
      storedAtMs = nowMs
      store(nowMs).catch(onError)
    },
  }
}
