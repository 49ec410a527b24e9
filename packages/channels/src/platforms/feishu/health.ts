import type { PlatformIo } from '../../platform-io.ts'
import { perBot } from '../wire/per-bot.ts'

/** How the connection of a bot in this process is doing, for the doctor. Milliseconds since the Unix epoch. */
export interface Health {
  readonly connectedAtMs: number
  pingMs: number
  heardAtMs: number
}

const connections = perBot<{ health: Health | null }>(() => ({ health: null }))

/** Notes that the bot is connected. @returns what notes that it is not any more */
export function noteConnected(io: PlatformIo, identity: string, health: Health): () => void {
  const connection = connections(io, identity)
  connection.health = health
  return () => {
    if (connection.health === health) connection.health = null
  }
}

/** `null`: not connected in this process. */
export const healthOf = (io: PlatformIo, identity: string): Health | null => connections(io, identity).health
