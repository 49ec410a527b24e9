import type { PlatformIo } from '../../platform-io.ts'
import type { DiscordClient } from './client.ts'
import type { Directory } from './directory.ts'
import type { SeenMessages } from './find-sent.ts'
import type { SocketHealth } from './health.ts'

/** What one connection works with, from run to run. */
export interface DiscordWorld {
  readonly io: PlatformIo
  readonly client: DiscordClient
  readonly token: string
  readonly botId: string
  readonly seen: SeenMessages
  readonly directory: Directory
  readonly health: SocketHealth
}
