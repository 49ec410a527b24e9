import type { InboundEvent } from '../message.ts'

/** Longest id of a platform that is kept, UTF-16 units: all known ones are far shorter. */
const ID_MAX = 500

/**
 * Whether a database can hold the event: ids of a bounded length, times that are whole milliseconds. What cannot be stored
 * would be handed over again for ever, and keep what comes after it waiting.
 */
export function isStorable(event: InboundEvent): boolean {
  const ids = [event.key, event.chat.id, event.chat.threadId ?? '']
  if (event.type === 'message') ids.push(event.messageId, event.from.id)
  if (event.type === 'reachability') ids.push(event.person.id)
  if (event.type === 'chat_moved') ids.push(event.toChatId)
  if (event.type === 'message' && !Number.isSafeInteger(event.sentAtMs)) return false
  return ids.every((id) => id.length <= ID_MAX)
}
