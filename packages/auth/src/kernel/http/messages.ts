import type { Signer } from '../crypto/crypto.ts'
import type { MessageLevel } from '../visit.ts'

/** A message for the next page. */
export interface Message {
  readonly level: MessageLevel
  readonly text: string
}

/** Cookie in which messages wait for the next page, signed. */
export const MESSAGES_COOKIE = 'messages'
const SALT = 'messages'
const MAX_AGE_SECONDS = 3600
/** Of the cookie, whose whole line browsers cut at 4,096 bytes. */
const MAX_CHARACTERS = 3000

/** Reads the messages in a cookie; none if it is missing, forged or expired. */
export function readMessages(cookie: string | null, signer: Signer, nowMs: number): readonly Message[] {
  if (cookie === null || cookie === '') return []
  const value = signer.unsign(cookie, SALT, { nowMs, maxAgeSeconds: MAX_AGE_SECONDS })
  return Array.isArray(value) ? value.filter(isMessage) : []
}

/** The newest that fit. */
export function writeMessages(messages: readonly Message[], signer: Signer, nowMs: number): string {
  for (let from = 0; ; from++) {
    const text = signer.sign(messages.slice(from), SALT, nowMs)
    if (text.length <= MAX_CHARACTERS || from >= messages.length) return text
  }
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' && value !== null && 'level' in value && 'text' in value && typeof value.text === 'string'
  )
}
