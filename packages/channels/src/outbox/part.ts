import type { Chat, OutboundPart } from '../message.ts'
import { readContent } from './content.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

export const chatOf = (row: Pick<DeliveryRow, 'chat_id' | 'chat_kind' | 'thread_id'>): Chat => ({
  id: row.chat_id,
  kind: row.chat_kind,
  ...(row.thread_id === '' ? {} : { threadId: row.thread_id }),
})

/** A stored delivery as the connection is asked to send it. */
export function toPart(row: DeliveryRow): OutboundPart {
  const content = readContent(row.content_json)
  const base = {
    deliveryId: row.id,
    chat: chatOf(row),
    ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
    ...(row.after_message_id === null ? {} : { after: row.after_message_id }),
    ...(row.kind === 'send' ? { proactive: true as const } : {}),
  }
  if (content.kind === 'file') return { ...base, ...content }
  const plain = content.usePlain === true
  // the attempt that may have been shown was an unfinished form: to be repeated, it must be one again
  const live = content.begun === true && row.platform_message_id === null
  return { ...base, kind: 'text', body: plain ? content.plain : content.body, plain, ...(live ? { live: true } : {}) }
}
