import type { AddressedDelivery, ConversationRecord, Transcript, TranscriptItem, Traffic } from '../history/history.ts'
import type { PreviewPart, ShownBlock } from '../markdown/shown.ts'
import { PLATFORM_IDS } from '../platform-names.ts'
import type { DeliveryRecord, MessageRecord, Page } from '../storage/records.ts'
import { z } from 'zod'

/** Schemas for messages, deliveries, conversations, analytics and previews. */

/** Schema of a time. */
export const time = z.number().int().describe('Milliseconds since the Unix epoch')
/** Schema of a platform id. */
export const platform = z.enum(PLATFORM_IDS)
/** Schema of the kind of a chat. */
export const chatKind = z.enum(['direct', 'group'])
/** Schema of the state of a delivery. */
export const deliveryState = z.enum(['queued', 'sending', 'delivered', 'refused', 'unknown'])
const count = z.number().int()
const counts = z.array(count).describe('One number for each step')
const chat = z.strictObject({ id: z.string(), kind: chatKind, title: z.string().nullable() })
const person = z.strictObject({ user_id: z.string(), name: z.string().nullable() })

/** Schema of a received message. */
export const messageRecord: z.ZodType<MessageRecord> = z
  .strictObject({
    id: z.string(),
    conversation_id: z.string(),
    chat,
    from: person,
    text: z.string(),
    files: z.array(z.strictObject({ kind: z.string(), name: z.string(), mime: z.string(), size: z.number() })),
    sent_at: time,
    received_at: time,
    state: z.enum(['received', 'answered', 'failed', 'ignored']),
    reason: z.string().nullable().describe('Why it was ignored or not answered'),
  })
  .meta({ id: 'Message', description: 'A received message' })

const deliveryFields = {
  id: z.string(),
  kind: z.enum(['reply', 'send', 'notice']),
  conversation_id: z
    .string()
    .nullable()
    .describe('Conversation it belongs to; null when the recipient has never written there'),
  chat_id: z.string(),
  user_id: z.string().nullable(),
  text: z.string(),
  file: z.string().nullable(),
  state: deliveryState,
  attempts: count,
  created_at: time,
  updated_at: time,
  platform_message_id: z.string().nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  dead: z.boolean().describe('Failed permanently: retry or dismiss it'),
  truncated: z.boolean().describe('Ends a reply that was too long or had too many files and was cut off'),
}

/** Schema of a delivery. */
export const deliveryRecord: z.ZodType<DeliveryRecord> = z.strictObject(deliveryFields).meta({
  id: 'Delivery',
  description: 'An outgoing message and its outcome',
})

/** Schema of a delivery with its platform and recipient. */
export const addressedDelivery: z.ZodType<AddressedDelivery> = z
  .strictObject({
    ...deliveryFields,
    platform,
    to: person.nullable().describe('Recipient; null in a group when it is not a reply to anyone in particular'),
  })
  .meta({ id: 'AddressedDelivery', description: 'A delivery on any platform' })

/** Schema of a conversation in the list. */
export const conversationRecord: z.ZodType<ConversationRecord> = z
  .strictObject({
    id: z.string(),
    platform,
    chat,
    people: z.array(person).describe('The people who wrote last, at most three'),
    last: z
      .strictObject({
        at: time,
        by: z.enum(['person', 'bot']),
        name: z
          .string()
          .nullable()
          .describe('Name of the sender, or of the recipient when the bot wrote; null when unknown'),
        text: z.string().describe('First 200 characters; for a file, its name'),
      })
      .nullable()
      .describe('The latest message; null when retention has deleted everything'),
    waiting: count.describe('Messages waiting for a reply'),
    failed: count.describe('Messages that got no reply and deliveries that failed'),
  })
  .meta({ id: 'Conversation', description: 'A chat, or one thread of a chat' })

const transcriptItem: z.ZodType<TranscriptItem> = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('message'), message: messageRecord }),
    z.strictObject({ type: z.literal('delivery'), delivery: deliveryRecord }),
  ])
  .meta({ id: 'TranscriptItem' })

const nextPage = z.string().nullable().describe('Pass it as `before` to get the next page; null on the last page')

/** Schema of one page of a conversation. */
export const transcript: z.ZodType<Transcript> = z
  .strictObject({ conversation: conversationRecord, items: z.array(transcriptItem), next: nextPage })
  .meta({ id: 'Transcript', description: 'Both sides of a conversation, newest first' })

const trafficCounts = <N extends z.ZodType>(of: N) => ({
  received: of,
  answered: of,
  failed: of,
  delivered: of,
  refused: of,
  unknown: of,
})
const answerTimes = z
  .strictObject({ p50: z.number(), p95: z.number() })
  .nullable()
  .describe(
    'From receiving a message to the confirmed delivery of its reply, in milliseconds; null when nothing was answered',
  )

/** Schema of the analytics of a time range. */
export const traffic: z.ZodType<Traffic> = z
  .strictObject({
    from: time,
    to: time,
    step_ms: z.number().int().describe('Step `i` begins at `from + i * step_ms`'),
    platforms: z
      .array(z.strictObject({ platform, ...trafficCounts(counts) }))
      .describe('Every platform with a configured bot'),
    answer_ms: z.array(answerTimes).describe('One for each step'),
    totals: z.strictObject({ ...trafficCounts(count), answer_ms: answerTimes }),
  })
  .meta({
    id: 'Traffic',
    description: 'A message counts when it was received, a delivery when its outcome was stored',
  })

/** Schema of a block of a previewed message. */
export const shownBlockSchema: z.ZodType<ShownBlock> = z
  .strictObject({
    type: z.enum(['paragraph', 'heading', 'quote', 'code', 'item', 'rule']),
    level: z.number().int().exactOptional().describe('Heading level, 1 to 6; for a list item, its depth from 0'),
    marker: z.string().exactOptional().describe('Bullet or number of a list item'),
    language: z.string().exactOptional().describe('Language of a code block, when known'),
    spans: z
      .array(
        z.strictObject({
          text: z.string(),
          bold: z.literal(true).exactOptional(),
          italic: z.literal(true).exactOptional(),
          strike: z.literal(true).exactOptional(),
          code: z.literal(true).exactOptional(),
          href: z.string().exactOptional().describe('`http:`, `https:` or `mailto:`'),
        }),
      )
      .exactOptional(),
  })
  .meta({ id: 'ShownBlock', description: 'A block as shown on the platform' })

/** Schema of one message of a preview. */
export const previewPart: z.ZodType<PreviewPart> = z
  .strictObject({
    markup: z.string().describe("The text that is sent, in the platform's markup"),
    size: z.number().int().describe('Size in `unit`, as the platform counts it'),
    limit: z.number().int(),
    unit: z.enum(['utf16', 'code_points', 'bytes']),
    blocks: z.array(shownBlockSchema),
  })
  .meta({ id: 'PreviewPart', description: 'One of the messages that a text is split into' })

/** Returns the schema of one page, newest first. */
export const pageSchema = <T>(item: z.ZodType<T>): z.ZodType<Page<T>> =>
  z.strictObject({
    items: z.array(item),
    next: nextPage,
  })
