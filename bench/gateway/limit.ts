import { randomUUIDv7 } from 'node:crypto'
import { type ChannelTables, channelMigrations } from '@gatepost/channels'
import { type Database, migrate } from '@gatepost/sql'
import { now } from './clock.ts'
import { acceptAll, claimAll, finishAll, LEASE, readTurn, recordAll, type Said } from './transactions.ts'

export interface Limit {
  readonly perSecond: number
  /** Processor time of this process for each message, ms. */
  readonly cpuMs: number
}

/**
 * The rows and commits of the messages alone: no network, no assistant, no rendering.
 * @param together How many messages share a commit: 1 as a person who writes alone has it, more as under load.
 */
export async function measureLimit(
  database: Database<ChannelTables>,
  options: { readonly messages: number; readonly together: number; readonly users: number },
): Promise<Limit> {
  await migrate(database, { owner: 'channels', migrations: channelMigrations, nowMs: Date.now() })
  const lease = { ...LEASE, holder: 'bench', epoch: 1, expires_at_ms: 0, report_json: null }
  await database.db
    .insertInto('lease')
    .values(lease)
    .onConflict((c) => c.doNothing())
    .execute()
  let next = 0
  const round = async (): Promise<void> => {
    const said = Array.from({ length: options.together }, (_, index): Said => {
      next += 1
      return {
        user: `${1_000 + ((next + index) % options.users)}`,
        text: `Message ${next}: will it rain?`,
        key: randomUUIDv7(),
      }
    })
    const rows = await acceptAll(database, said)
    const turns = []
    for (const row of rows) turns.push(await readTurn(database, row))
    await finishAll(database, turns)
    await claimAll(database, turns)
    await recordAll(database, turns)
  }
  for (let n = 0; n < options.messages / 5; n += options.together) await round()
  const cpuBefore = process.cpuUsage()
  const beganAtMs = now()
  for (let n = 0; n < options.messages; n += options.together) await round()
  const cpu = process.cpuUsage(cpuBefore)
  return {
    perSecond: (options.messages / (now() - beganAtMs)) * 1000,
    cpuMs: (cpu.user + cpu.system) / 1000 / options.messages,
  }
}
