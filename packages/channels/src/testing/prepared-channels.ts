import { migrate } from '@gatepost/sql'
import type { Prepared } from '@gatepost/sql/testing'
import { channelMigrations } from '../storage/migrations.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** The tables of channels, made at `nowMs`, for tests that begin with them. */
export const preparedChannels = (nowMs: number): Prepared<ChannelTables> => ({
  name: `channels ${nowMs}`,
  run: async (database) => void (await migrate(database, { owner: 'channels', migrations: channelMigrations, nowMs })),
})
