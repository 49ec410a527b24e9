import { z } from 'zod'
import type { ChannelState } from '../channels.ts'

/** How a channel is, as its holder knows it and as the other nodes read it from the lease. */
export interface ChannelReport {
  /** Whose bot it is: of several accounts that have saved the same one, only one can hold it. */
  readonly bot: string
  readonly state: ChannelState
  readonly reason: string | null
  readonly message: string | null
  readonly sinceMs: number
  readonly retryAtMs: number | null
  /** The last sign of life of the platform. */
  readonly lastHeardAtMs: number | null
  readonly lastInboundAtMs: number | null
  readonly lastDeliveredAtMs: number | null
  readonly botName: string | null
}

/** The report of a channel of which nothing but its state is known. `sinceMs` counts from the Unix epoch. */
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
  botName: null,
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
  botName: z.string().nullable(),
})

/** `null` when there is none, or the text is no report of this version: another node may run a newer one. */
export function readReport(json: string | null): ChannelReport | null {
  if (json === null) return null
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    return null
  }
}

/** The adapter can really receive. */
export const receives = (state: ChannelState): boolean => state === 'running' || state === 'degraded'
