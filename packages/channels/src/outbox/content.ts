import { z } from 'zod'
import type { Chat, OutboundPart } from '../message.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

/** The stored content of a delivery. */
export type DeliveryContent =
  | {
      readonly kind: 'text'
      /** In the platform's dialect. */
      readonly body: string
      /** The same without markup: sent when the platform rejects the markup, and shown in lists. */
      readonly plain: string
      /** The platform rejected `body`. */
      readonly usePlain?: boolean | undefined
      /** An unfinished form may be in the chat; whether it is, and its id, are unknown. */
      readonly begun?: boolean | undefined
      /** The end of a reply of which part was left out; the text says so. */
      readonly isCut?: boolean | undefined
    }
  | { readonly kind: 'file'; readonly name: string; readonly mime: string; readonly path: string }

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    body: z.string(),
    plain: z.string(),
    usePlain: z.boolean().optional(),
    begun: z.boolean().optional(),
    isCut: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('file'), name: z.string(), mime: z.string(), path: z.string() }),
])

/** Parses the content of a delivery. @throws {ZodError} when this version did not write the column. */
export const readContent = (json: string): DeliveryContent => schema.parse(JSON.parse(json))

/** Returns the chat of a stored delivery. */
export const toChat = (row: Pick<DeliveryRow, 'chat_id' | 'chat_kind' | 'thread_id'>): Chat => ({
  id: row.chat_id,
  kind: row.chat_kind,
  ...(row.thread_id === '' ? {} : { threadId: row.thread_id }),
})

/** Converts a stored delivery to the part that a connection sends. */
export function toPart(row: DeliveryRow): OutboundPart {
  const content = readContent(row.content_json)
  const base = {
    deliveryId: row.id,
    chat: toChat(row),
    ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
    ...(row.after_message_id === null ? {} : { after: row.after_message_id }),
    ...(row.kind === 'send' ? { proactive: true as const } : {}),
  }
  if (content.kind === 'file') return { ...base, ...content }
  const plain = content.usePlain === true
  // the attempt that may have been delivered was unfinished: a repetition must be unfinished too
  const live = content.begun === true && row.platform_message_id === null
  return { ...base, kind: 'text', body: plain ? content.plain : content.body, plain, ...(live ? { live: true } : {}) }
}
