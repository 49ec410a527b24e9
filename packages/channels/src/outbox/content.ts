import { z } from 'zod'
import type { Chat, OutboundPart } from '../message.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

/** What one delivery shows, as stored with it. */
export type DeliveryContent =
  | {
      readonly kind: 'text'
      /** In the platform's dialect. */
      readonly body: string
      /** The same without markup: sent when the platform refuses the markup, shown in lists. */
      readonly plain: string
      /** The platform refused `body`. */
      readonly usePlain?: boolean | undefined
      /** An unfinished form of it may stand in the chat; nobody knows whether, nor under which id. */
      readonly begun?: boolean | undefined
    }
  | { readonly kind: 'file'; readonly name: string; readonly mime: string; readonly path: string }

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    body: z.string(),
    plain: z.string(),
    usePlain: z.boolean().optional(),
    begun: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('file'), name: z.string(), mime: z.string(), path: z.string() }),
])

/** @throws {ZodError} when the column does not hold what this version wrote. */
export const readContent = (json: string): DeliveryContent => schema.parse(JSON.parse(json))

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
