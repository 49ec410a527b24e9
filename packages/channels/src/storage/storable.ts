import type { InboundEvent } from '../message.ts'

// oxlint-disable-next-line no-control-regex -- NUL is what this looks for
const NUL = /\u0000/g

/** Text that both databases store as it is: without NUL, lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replace(NUL, '') : whole
}

/** A copy of a plain value (objects, lists, texts, numbers) with every text in it cleaned; the value itself when clean. */
export function cleanTexts<T>(value: T): T {
  return cleaned(value) as T // same shape: only texts were replaced
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(cleaned)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value)
  const clean = entries.map(([key, field]): [string, unknown] => [key, cleaned(field)])
  return clean.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(clean) : value
}

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
