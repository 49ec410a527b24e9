import type { Database } from '@gatepost/sql'
import { z } from 'zod'
import type { BotHandle } from '../bot-handle.ts'
import type { ChannelTables } from '../schema.ts'

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
