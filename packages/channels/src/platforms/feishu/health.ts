import type { PlatformIo } from '../../platform.ts'

/** How the connection of a bot in this process is doing, for the doctor. Milliseconds since the Unix epoch. */
export interface Health {
  readonly connectedAtMs: number
  pingMs: number
  heardAtMs: number
}

const connections = new WeakMap<PlatformIo['log'], Map<string, Health>>()

/** Notes that the bot is connected. @returns what notes that it is not any more */
export function noteConnected(io: PlatformIo, identity: string, health: Health): () => void {
  const known = connections.get(io.log) ?? new Map<string, Health>()
  connections.set(io.log, known)
  known.set(identity, health)
  return () => {
    if (known.get(identity) === health) known.delete(identity)
  }
}

/** `null`: not connected in this process. */
export const healthOf = (io: PlatformIo, identity: string): Health | null =>
  connections.get(io.log)?.get(identity) ?? null
