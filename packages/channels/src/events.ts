import type { ChannelState, DeliveryRecord, MessageRecord } from './channels.ts'
import type { PlatformId } from './platform-names.ts'

/** Something that happened on a channel, as `GET /api/events` tells it. */
export type ChannelEvent = { readonly platform: PlatformId; readonly at: number } & (
  | {
      readonly type: 'state'
      readonly state: ChannelState
      readonly reason: string | null
      readonly message: string | null
    }
  | { readonly type: 'message'; readonly message: MessageRecord }
  | { readonly type: 'delivery'; readonly delivery: DeliveryRecord }
)
