import type { Database, Presence } from '@gatepost/sql'
import type { Assistant } from './assistant/assistant.ts'
import type { HistoryBudget } from './assistant/history.ts'
import type { Clock, Log } from './platform-io.ts'
import type { ChannelTables } from './schema.ts'
import type { Secret } from './secret.ts'

/** What the host gives `createChannels`. */
export interface ChannelsOptions {
  readonly database: Database<ChannelTables>
  /** Tells which processes are alive, so that a dead one's connections are taken over at once. */
  readonly presence: Presence
  /** Folder of credentials and files; on PostgreSQL of files only. */
  readonly dataDir: string
  readonly secretKey: Secret
  readonly assistant: Assistant
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly log: Log
  /** Base URLs that replace the platforms' own, by the setting's name. */
  readonly hosts: Readonly<Record<string, string>>
  readonly settings: ChannelSettings
  /** The lines of today's log file, oldest first; `null`: there is none. */
  readonly todaysLog: () => AsyncIterable<string> | null
}

export interface ChannelSettings {
  /** Life of a lease that is not renewed, in milliseconds. */
  readonly leaseMs: number
  /** Most turns at the same time in this process. */
  readonly concurrentTurns: number
  /** How much of the past the assistant is shown. */
  readonly history: HistoryBudget
  /** Messages, deliveries and files older than this are deleted. At least 8 days: dedupe keys live with them. */
  readonly retentionMs: number
  /** False: send at once and rely on the platform's own requests to wait. */
  readonly pacing: boolean
}
