import type { Database } from '@gatepost/sql'
import { z } from 'zod'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** A span in which the platform may have lost messages, in milliseconds since the Unix epoch. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly why: string
}

const MOST = 20
const gapsSchema = z.array(z.object({ from: z.number(), to: z.number(), why: z.string() }))

/** Newest first. */
export async function readGaps(database: Database<ChannelTables>, bot: string): Promise<readonly Gap[]> {
  const row = await database.db.selectFrom('bot').select('gaps_json').where('bot', '=', bot).executeTakeFirst()
  return row ? gapsSchema.parse(JSON.parse(row.gaps_json)) : []
}

/**
 * Adds a gap; those that overlap for the same reason are one. Only the newest 20 are kept.
 * @throws {ChannelError} `lease_lost`
 */
export async function recordGap(handle: BotHandle, gap: Gap): Promise<void> {
  await handle.write(async (tx) => {
    const row = await tx.selectFrom('bot').select('gaps_json').where('bot', '=', handle.bot).executeTakeFirst()
    const before = row ? gapsSchema.parse(JSON.parse(row.gaps_json)) : []
    const gaps_json = JSON.stringify(withGap(before, gap).slice(0, MOST))
    await tx
      .insertInto('bot')
      .values({ bot: handle.bot, cursor: null, gaps_json })
      .onConflict((c) => c.column('bot').doUpdateSet({ gaps_json }))
      .execute()
  })
}

function withGap(before: readonly Gap[], gap: Gap): readonly Gap[] {
  const isOne = (one: Gap): boolean => one.why === gap.why && one.from <= gap.to && gap.from <= one.to
  const whole = before
    .filter(isOne)
    .reduce((all, one) => ({ ...all, from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), gap)
  return [whole, ...before.filter((one) => !isOne(one))].toSorted((a, b) => b.to - a.to)
}

interface SilenceOptions {
  readonly handle: BotHandle
  /** How long the platform keeps what nobody has received, in milliseconds; `null`: nobody knows. */
  readonly replayMs: number | null
  readonly clock: Clock
  readonly log: Log
}

/** Notices that a bot was not listened to for longer than its platform keeps messages, also across restarts. */
export interface SilenceWatch {
  /** The platform was heard now. Never throws: what cannot be stored is logged. */
  heard(): void
  /** Milliseconds since the Unix epoch; `null`: never. After a restart at most a minute too early. */
  lastHeardMs(): number | null
}

/** The time is stored this often: a gap is told at most this much too early. */
const STORE_EVERY_MS = 60_000

/** @throws when the database cannot be read. */
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

  async function missed(fromMs: number, toMs: number): Promise<void> {
    const why = 'nobody listened for longer than the platform keeps messages'
    log.warn('Messages may have been lost by the platform', { bot, fromMs, toMs, why })
    await recordGap(handle, { from: fromMs, to: toMs, why })
  }

  return {
    lastHeardMs: () => heardAtMs,
    heard() {
      const nowMs = clock.now()
      const failed = (error: unknown): void =>
        log.error('When the channel was last heard could not be stored', { bot, error })
      if (replayMs !== null && heardAtMs !== null && nowMs - heardAtMs > replayMs) {
        missed(heardAtMs, nowMs - replayMs).catch(failed)
      }
      heardAtMs = nowMs
      if (storedAtMs !== null && nowMs - storedAtMs < STORE_EVERY_MS) return
      storedAtMs = nowMs
      store(nowMs).catch(failed)
    },
  }
}
