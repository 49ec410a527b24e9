import type { Sealer } from '../kernel/crypto/crypto.ts'
import { AuthError } from '../errors.ts'

/** Prefix of sealed secrets. Unsealed ones of migrated sites are base32, hex, or digits, and never start with it. */
const MARK = 'sealed:'
const CONTEXT = 'gatepost second factor'

/** Seals a secret for storage. */
export const sealSecret = (sealer: Sealer, text: string): string => `${MARK}${sealer.seal(text, CONTEXT)}`

/**
 * Opens a stored secret. Returns an unsealed one of a migrated site as it is.
 * @throws {AuthError} `secret_unreadable` if it isn't sealed with one of our keys
 */
export const openSecret = (sealer: Sealer, stored: string): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), CONTEXT) : stored

/** Returns whether an error means that a stored secret is malformed or can't be opened. */
export const isUnreadable = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.code === 'secret_unreadable'
