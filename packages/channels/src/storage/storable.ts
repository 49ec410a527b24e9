import type { InboundEvent } from '../message.ts'

// oxlint-disable-next-line no-control-regex -- NUL is what this looks for
const NUL = /\u0000/g

/** Returns text that both databases can store: NUL is removed, lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replace(NUL, '') : whole
}

/** Returns a plain value (objects, arrays, strings, numbers) with every string cleaned; the same value when all are clean. */
export function cleanTexts<T>(value: T): T {
  return cleanValue(value) as T // same shape: only texts were replaced
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(cleanValue)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value)
  const clean = entries.map(([key, field]): [string, unknown] => [key, cleanValue(field)])
  return clean.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(clean) : value
}

/** Longest platform id that is stored, in UTF-16 units; all known ones are far shorter. */
const ID_MAX = 500

/**
 * Returns whether a database can store the event: ids of limited length, times in whole milliseconds. An event that
 * cannot be stored would be redelivered forever and block those after it.
 */
export function isStorable(event: InboundEvent): boolean {
  const ids = [event.key, event.chat.id, event.chat.threadId ?? '']
  if (event.type === 'message') ids.push(event.messageId, event.from.id)
  if (event.type === 'reachability') ids.push(event.person.id)
  if (event.type === 'chat_moved') ids.push(event.toChatId)
  if (event.type === 'message' && !Number.isSafeInteger(event.sentAtMs)) return false
  return ids.every((id) => id.length <= ID_MAX)
}
