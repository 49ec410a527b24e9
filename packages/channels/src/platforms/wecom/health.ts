import type { PlatformIo } from '../../platform.ts'

/** What the connection of one bot has met in this process, for whoever diagnoses it. Milliseconds since the Unix epoch. */
export interface Health {
  /** The last answer to a subscription; `null`: there was none yet. */
  readonly subscribed: { readonly atMs: number; readonly errcode: number; readonly errmsg: string } | null
  /** The last sign of life on a connection. */
  readonly provedAtMs: number | null
  readonly takenOverAtMs: number | null
  readonly isConnected: boolean
}

const UNKNOWN: Health = { subscribed: null, provedAtMs: null, takenOverAtMs: null, isConnected: false }

/** By what stays the same when an `io` is handed on with something changed in it. */
const known = new WeakMap<PlatformIo['host'], Map<string, Health>>()

export const healthOf = (io: PlatformIo, botId: string): Health => known.get(io.host)?.get(botId) ?? UNKNOWN

export function noteHealth(io: PlatformIo, botId: string, change: Partial<Health>): void {
  const bots = known.get(io.host) ?? new Map<string, Health>()
  known.set(io.host, bots)
  bots.set(botId, { ...healthOf(io, botId), ...change })
}
