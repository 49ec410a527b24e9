import { createHash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../io.ts'
import type { CodeFormat } from './crypto.ts'

/** ASCII letters and digits: 62 characters, almost 6 bits each. */
export const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * Returns random text with uniformly distributed characters: bytes that would cause a bias are rejected.
 * @param alphabet 2 to 256 different characters of one UTF-16 unit each.
 */
export function randomText(random: RandomBytes, alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < limit) text += alphabet.charAt(byte % alphabet.length)
  }
  return text
}

/** No vowels, to avoid words, and no Y, which looks like V. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const DIGITS = '0123456789'

/**
 * Generates a code for people to type, e.g. `WDJB-MJHT` or `123-456-789`. A dashed code has two groups up to eight
 * characters, and three if longer.
 */
export function generateCode(format: CodeFormat, random: RandomBytes): string {
  const alphabet = format.numeric ? DIGITS : LETTERS
  const characters = randomText(random, alphabet, format.length)
  if (!format.dashed) return characters
  const size = Math.ceil(format.length / (format.length <= 8 ? 2 : 3))
  return characters.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? ''
}

/** Compares codes in constant time, ignoring case, whitespace, and punctuation. Never matches an empty `expected`. */
export function sameCode(given: string, expected: string): boolean {
  const [left, right] = [normalizeCode(given), normalizeCode(expected)]
  return right !== '' && timingSafeEqual(digest(left), digest(right))
}

const normalizeCode = (code: string): string => code.replaceAll(/[!-/:-@[-`{-~\s]/g, '').toLowerCase()
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns a random UUID. @see RFC 9562 section 5.4 */
export function uuidV4(random: RandomBytes): string {
  const bytes = random(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  return formatUuid(bytes)
}

/**
 * Returns a UUID that sorts by creation time.
 * @param nowMs Milliseconds since the Unix epoch.
 * @see RFC 9562 section 5.7
 */
export function uuidV7(nowMs: number, random: RandomBytes): string {
  const bytes = Buffer.concat([Buffer.alloc(6), random(10)])
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  return formatUuid(bytes)
}

function formatUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
