import type { Sealer } from '../kernel/crypto/crypto.ts'
import { AuthError } from '../errors.ts'

/** In front of what is sealed. Secrets of sites that do not seal are base32, hex or digits. */
const MARK = 'sealed:'
const CONTEXT = 'gatepost second factor'

/** A secret as it is stored. */
export const sealSecret = (sealer: Sealer, text: string): string => `${MARK}${sealer.seal(text, CONTEXT)}`

/**
 * The secret of what is stored; clear text, as an old site has it, is the secret itself.
 * @throws {AuthError} `secret_unreadable`: it is sealed, and not with our keys
 */
export const openSecret = (sealer: Sealer, stored: string): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), CONTEXT) : stored

/** Returns whether a stored secret is malformed or can't be opened. */
export const isUnreadable = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.code === 'secret_unreadable'
