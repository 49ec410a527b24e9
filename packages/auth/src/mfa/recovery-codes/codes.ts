import { createHmac } from 'node:crypto'
import type { RandomBytes } from '../../kernel/io.ts'

const SEED_BYTES = 40
const SHA1_BYTES = 20

/** What all codes of a set are derived from: 80 hex digits. */
export const createSeed = (random: RandomBytes): string => random(SEED_BYTES).toString('hex')

/**
 * The codes of a seed, always the same ones: each is cut from HMAC-SHA1 over all indexes up to its own, three columns
 * wide and followed by a comma.
 * @param seed ASCII. @param digits Of each code.
 */
export function deriveCodes(seed: string, { count, digits }: { count: number; digits: number }): readonly string[] {
  const bytes = Math.min(Math.floor(digits / 2), SHA1_BYTES)
  let message = ''
  return Array.from({ length: count }, (_, index) => {
    message += `${String(index).padStart(3)},`
    const digest = createHmac('sha1', seed).update(message).digest('hex')
    const value = BigInt(`0x${digest.slice(0, bytes * 2)}`) % 10n ** BigInt(digits)
    return String(value).padStart(digits, '0')
  })
}
