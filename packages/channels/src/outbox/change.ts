import type { Outcome } from '../message.ts'
import { type DeliveryContent, readContent } from './content.ts'
import type { DeliveryChange, DeliveryRow } from './deliveries.sql.ts'
import type { Verdict } from './verdict.ts'

/** What a verdict changes in the stored delivery. */
export function changeFor(verdict: Verdict, outcome: Outcome, row: DeliveryRow, nowMs: number): DeliveryChange {
  const why = {
    code: outcome.status === 'refused' ? outcome.code : null,
    reason: outcome.status === 'delivered' ? null : outcome.detail,
  }
  switch (verdict.next) {
    case 'delivered':
      return { state: 'delivered', dead: 0, platform_message_id: verdict.messageId, ...why }
    case 'finish':
      return { state: 'queued', platform_message_id: verdict.messageId, content_json: settled(row), ...why }
    case 'dead':
      return { state: verdict.state, dead: 1, ...why }
    case 'retry':
      return { state: 'queued', next_attempt_at_ms: verdict.atMs, ...why }
    case 'find':
      return { state: 'sending', next_attempt_at_ms: verdict.atMs, ...why }
    case 'hold':
      return { state: 'queued', next_attempt_at_ms: nowMs, ...why }
    case 'unreply':
      return { state: 'queued', reply_to: null, ...why }
    case 'move':
      return { state: 'queued', chat_id: verdict.toChatId, next_attempt_at_ms: verdict.atMs, ...why }
    case 'anew':
      return { state: 'queued', platform_message_id: null, content_json: settled(row), ...why }
    case 'plain':
      return { state: 'queued', content_json: withText(row, { usePlain: true }), ...why }
  }
}

/** It is known now that no unfinished form of it stands in the chat, or where. */
export const settled = (row: DeliveryRow): string => withText(row, { begun: undefined })

function withText(
  row: DeliveryRow,
  change: Partial<Pick<Extract<DeliveryContent, { kind: 'text' }>, 'usePlain' | 'begun'>>,
): string {
  const content = readContent(row.content_json)
  return content.kind === 'text' ? JSON.stringify({ ...content, ...change }) : row.content_json
}
