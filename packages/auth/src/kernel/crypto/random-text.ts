import type { RandomBytes } from '../io.ts'

/** Letters and digits of ASCII: 62 characters, nearly 6 bits each. */
export const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * Random text, each character of `alphabet` as likely as the others: bytes beyond the last whole multiple are dropped.
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
