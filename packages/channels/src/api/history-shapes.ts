import type { AddressedDelivery, ConversationRecord, Transcript, TranscriptItem, Traffic } from '../history/history.ts'
import type { PreviewPart, ShownBlock } from '../markdown/shown.ts'
import { PLATFORM_IDS } from '../platform-names.ts'
import type { DeliveryRecord, MessageRecord, Page } from '../storage/records.ts'
import { z } from 'zod'

/** The shapes of what was received, sent and counted, and of what will be shown. */

export const time = z.number().int().describe('Milliseconds since the Unix epoch')
export const platform = z.enum(PLATFORM_IDS)
export const chatKind = z.enum(['direct', 'group'])
export const deliveryState = z.enum(['queued', 'sending', 'delivered', 'refused', 'unknown'])
const count = z.number().int()
const counts = z.array(count).describe('One number for each step')
const chat = z.strictObject({ id: z.string(), kind: chatKind, title: z.string().nullable() })
const person = z.strictObject({ user_id: z.string(), name: z.string().nullable() })

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
    reason: z.string().nullable().describe('Why it was ignored or could not be answered'),
  })
  .meta({ id: 'Message', description: 'A received message' })

const deliveryFields = {
  id: z.string(),
  kind: z.enum(['reply', 'send', 'notice']),
  conversation_id: z
    .string()
    .nullable()
    .describe('The conversation in which it stands; null when the person has never written there'),
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
  dead: z.boolean().describe('Failed for good: waits for a person to send it again or let it be'),
}

export const deliveryRecord: z.ZodType<DeliveryRecord> = z.strictObject(deliveryFields).meta({
  id: 'Delivery',
  description: 'One message to be sent, and what became of it',
})

export const addressedDelivery: z.ZodType<AddressedDelivery> = z
  .strictObject({
    ...deliveryFields,
    platform,
    to: person.nullable().describe('The person it is for; null in a group where nobody in particular is answered'),
  })
  .meta({ id: 'AddressedDelivery', description: 'A delivery of any platform' })

export const conversationRecord: z.ZodType<ConversationRecord> = z
  .strictObject({
    id: z.string(),
    platform,
    chat,
    people: z.array(person).describe('Who wrote in it last, at most three'),
    last: z
      .strictObject({
        at: time,
        by: z.enum(['person', 'bot']),
        name: z.string().nullable().describe('Of the person, or of who is written to; null when it is not known'),
        text: z.string().describe('The first 200 characters; of a file its name'),
      })
      .nullable()
      .describe('What was said last; null when nothing is kept any more'),
    waiting: count.describe('Messages that wait for an answer'),
    failed: count.describe('Messages that could not be answered, and deliveries that are dead'),
  })
  .meta({ id: 'Conversation', description: 'A chat, or one thread of it' })

const transcriptItem: z.ZodType<TranscriptItem> = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('message'), message: messageRecord }),
    z.strictObject({ type: z.literal('delivery'), delivery: deliveryRecord }),
  ])
  .meta({ id: 'TranscriptItem' })

const nextPage = z.string().nullable().describe('Pass it as `before` to get the following page; null on the last one')

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
  .describe('From the acceptance of a message to its answer confirmed, in milliseconds; null when nothing was answered')

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
    description: 'A message counts when it was accepted, a delivery when its outcome was stored',
  })

/** Of all that is shown on any platform. */
export const shownBlock: z.ZodType<ShownBlock> = z
  .strictObject({
    type: z.enum(['paragraph', 'heading', 'quote', 'code', 'item', 'rule']),
    level: z.number().int().exactOptional().describe('Of a heading 1 to 6; of an item how deep it stands, from 0'),
    marker: z.string().exactOptional().describe('What stands before an item'),
    language: z.string().exactOptional().describe('Of code, when it is known'),
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
  .meta({ id: 'ShownBlock', description: 'A block as people see it on the platform' })

export const previewPart: z.ZodType<PreviewPart> = z
  .strictObject({
    markup: z.string().describe('What is sent'),
    size: z.number().int().describe('In `unit`s, as the platform counts it'),
    limit: z.number().int(),
    unit: z.enum(['utf16', 'code_points', 'bytes']),
    blocks: z.array(shownBlock),
  })
  .meta({ id: 'PreviewPart', description: 'One message of those that a text becomes' })

/** One page, newest first. */
export const pageOf = <T>(item: z.ZodType<T>): z.ZodType<Page<T>> =>
  z.strictObject({
    items: z.array(item),
    next: nextPage,
  })
