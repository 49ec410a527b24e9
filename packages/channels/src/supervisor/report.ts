import { z } from 'zod'
import type { ChannelState } from '../channels.ts'

/** A channel's state, as its holder knows it and the other nodes read it from the lease. */
export interface ChannelReport {
  /** Key of the bot, with its account: when several accounts save the same bot, only one can hold it. */
  readonly bot: string
  readonly state: ChannelState
  readonly reason: string | null
  readonly message: string | null
  readonly sinceMs: number
  readonly retryAtMs: number | null
  /** The platform's last heartbeat. */
  readonly lastHeardAtMs: number | null
  readonly lastInboundAtMs: number | null
  readonly lastDeliveredAtMs: number | null
  readonly toBotKey: string | null
}

/** Creates a report with nothing but a state. `sinceMs`: milliseconds since the Unix epoch. */
export const emptyReport = (bot: string, state: ChannelState, sinceMs: number): ChannelReport => ({
  bot,
  state,
  reason: null,
  message: null,
  sinceMs,
  retryAtMs: null,
  lastHeardAtMs: null,
  lastInboundAtMs: null,
  lastDeliveredAtMs: null,
  toBotKey: null,
})

const schema = z.object({
  bot: z.string(),
  state: z.enum(['stopped', 'connecting', 'running', 'degraded', 'backing_off', 'standby', 'rejected']),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  sinceMs: z.number(),
  retryAtMs: z.number().nullable(),
  lastHeardAtMs: z.number().nullable().default(null),
  lastInboundAtMs: z.number().nullable(),
  lastDeliveredAtMs: z.number().nullable(),
  toBotKey: z.string().nullable(),
})

/** Parses a report; `null` when there is none or it is from another version, such as that of a newer node. */
export function readReport(json: string | null): ChannelReport | null {
  if (json === null) return null
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    return null
  }
}

/** Returns whether a channel in this state receives messages. */
export const receives = (state: ChannelState): boolean => state === 'running' || state === 'degraded'
