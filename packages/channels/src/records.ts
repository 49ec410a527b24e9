import type { DeliveryRecord, MessageRecord } from './channels.ts'
import { readStoredFiles } from './inbox/stored-file.ts'
import { readContent } from './outbox/content.ts'
import type { ChannelTables } from './schema.ts'

/** A stored message as callers see it. */
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

/** A stored delivery as callers see it: in plain text. */
export function deliveryRecord(row: ChannelTables['delivery']): DeliveryRecord {
  const content = readContent(row.content_json)
  return {
    id: row.id,
    kind: row.kind,
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
  }
}
