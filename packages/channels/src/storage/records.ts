import { readStoredFiles } from '../inbox/media.ts'
import { readContent } from '../outbox/content.ts'
import type { ChannelTables } from './schema.ts'

/** A received message as the API returns it. Times are milliseconds since the Unix epoch. */
export interface MessageRecord {
  readonly id: string
  readonly conversation_id: string
  readonly chat: { readonly id: string; readonly kind: 'direct' | 'group'; readonly title: string | null }
  readonly from: { readonly user_id: string; readonly name: string | null }
  readonly text: string
  readonly files: readonly {
    readonly kind: string
    readonly name: string
    readonly mime: string
    readonly size: number
  }[]
  readonly sent_at: number
  readonly received_at: number
  readonly state: 'received' | 'answered' | 'failed' | 'ignored'
  /** Why it was ignored or not answered. */
  readonly reason: string | null
}

/** State of a delivery, as the API returns it. */
export type DeliveryState = 'queued' | 'sending' | 'delivered' | 'refused' | 'unknown'

/** An outgoing message as the API returns it. Times are milliseconds since the Unix epoch. */
export interface DeliveryRecord {
  readonly id: string
  readonly kind: 'reply' | 'send' | 'notice'
  /** The conversation it belongs to; `null`: the recipient has never written there. */
  readonly conversation_id: string | null
  readonly chat_id: string
  readonly user_id: string | null
  readonly text: string
  readonly file: string | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: number
  readonly updated_at: number
  readonly platform_message_id: string | null
  readonly code: string | null
  readonly reason: string | null
  /** Failed permanently: retry or dismiss it. */
  readonly dead: boolean
  /** It ends a reply that was too long, or had too many files, and was cut off; the text says so. */
  readonly truncated: boolean
}

/** One page of a list. Pass `next` as `before` to get the next page; `null` on the last page. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}
/** Which page of a list to return. */
export interface PageRequest {
  readonly limit: number
  readonly before: string | null
}

/** Converts a stored message to the form that the API returns. */
export const messageRecord = (
  row: ChannelTables['message'],
  conversation: Pick<ChannelTables['conversation'], 'chat_id' | 'kind' | 'title'>,
): MessageRecord => ({
  id: row.id,
  conversation_id: row.conversation_id,
  chat: { id: conversation.chat_id, kind: conversation.kind, title: conversation.title },
  from: { user_id: row.user_id, name: row.user_name },
  text: row.text,
  files: readStoredFiles(row.files_json).map((file) => ({
    kind: file.kind,
    name: file.name ?? file.kind,
    mime: file.mime ?? 'application/octet-stream',
    size: file.sizeBytes ?? 0,
  })),
  sent_at: row.sent_at_ms,
  received_at: row.received_at_ms,
  state: row.state,
  reason: row.reason,
})

/** Converts a stored delivery to the form that the API returns, with plain text. */
export function deliveryRecord(row: ChannelTables['delivery']): DeliveryRecord {
  const content = readContent(row.content_json)
  return {
    id: row.id,
    kind: row.kind,
    conversation_id: row.conversation_id,
    chat_id: row.chat_id,
    user_id: row.user_id,
    text: content.kind === 'text' ? content.plain : '',
    file: content.kind === 'file' ? content.name : null,
    state: row.state === 'live' ? 'sending' : row.state,
    attempts: row.attempts,
    created_at: row.created_at_ms,
    updated_at: row.updated_at_ms,
    platform_message_id: row.platform_message_id,
    code: row.code,
    reason: row.reason,
    dead: row.dead === 1,
    truncated: content.kind === 'text' && content.isCut === true,
  }
}
