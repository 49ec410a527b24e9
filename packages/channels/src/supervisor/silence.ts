import type { BotHandle } from '../bot-handle.ts'
import type { Clock, Log } from '../platform-io.ts'
import { recordGap } from './gaps.sql.ts'

export interface SilenceOptions {
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
