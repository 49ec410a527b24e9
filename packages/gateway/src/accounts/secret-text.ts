import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 32 random bytes as base64url: 43 characters. */
export const createSecretText = (): string => randomBytes(32).toString('base64url')

/** What is stored of a secret with so many random bits: SHA-256, hexadecimal. */
export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** In constant time, whatever the lengths. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest())
