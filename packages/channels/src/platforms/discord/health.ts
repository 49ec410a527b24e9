import type { PlatformIo } from '../../platform.ts'

/** How the socket of a bot is, as far as this process knows. */
export interface SocketHealth {
  /** READY or RESUMED has come. */
  isReady: boolean
  /** When anything came last, milliseconds since the Unix epoch. */
  heardAtMs: number
  /** Of the socket before this one. */
  lastClose: number | null
}

/** In memory only, for the doctor of the same process. */
const known = new WeakMap<PlatformIo, Map<string, SocketHealth>>()

/** @param botId Whose health: its entry begins empty. */
export function healthOf(io: PlatformIo, botId: string): SocketHealth {
  const bots = known.get(io) ?? new Map<string, SocketHealth>()
  known.set(io, bots)
  const health = bots.get(botId) ?? { isReady: false, heardAtMs: 0, lastClose: null }
  bots.set(botId, health)
  return health
}
