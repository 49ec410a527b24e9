import type { ChannelTables } from '../schema.ts'

/** When a delivery was first to be sent, milliseconds since the Unix epoch: unlike `created_at_ms`, a resend keeps it. */
export const sentAt = ({ sequence }: Pick<ChannelTables['delivery'], 'sequence'>): number =>
  Math.floor(sequence / 1_000)
