import { createHash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../io.ts'
import type { CodeFormat } from './crypto.ts'
import { randomText } from './random-text.ts'

/** No vowels, so no words; no Y, which is read as V. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const DIGITS = '0123456789'

/** A code that people type, e.g. `WDJB-MJHT` or `123-456-789`: two groups up to eight characters, three above. */
export function generateCode(format: CodeFormat, random: RandomBytes): string {
  const alphabet = format.numeric ? DIGITS : LETTERS
  const characters = randomText(random, alphabet, format.length)
  if (!format.dashed) return characters
  const size = Math.ceil(format.length / (format.length <= 8 ? 2 : 3))
  return characters.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? ''
}

/** Without regard to case, blanks and punctuation, in constant time; an empty `expected` is never matched. */
export function sameCode(given: string, expected: string): boolean {
  const [left, right] = [normalizeCode(given), normalizeCode(expected)]
  return right !== '' && timingSafeEqual(digest(left), digest(right))
}

const normalizeCode = (code: string): string => code.replaceAll(/[!-/:-@[-`{-~\s]/g, '').toLowerCase()
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
