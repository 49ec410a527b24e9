import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates a secret of 32 random bytes as base64url (43 characters). */
export const createSecretText = (): string => randomBytes(32).toString('base64url')

/** Hashes a random secret for storage: SHA-256, hexadecimal. */
export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Compares two secrets in constant time. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest())
