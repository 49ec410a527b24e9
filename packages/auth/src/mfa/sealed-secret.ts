import type { Sealer } from '../kernel/crypto/crypto.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { AuthError } from '../errors.ts'

/** Prefix of sealed secrets. Unsealed ones of migrated sites are base32, hex, or digits, and never start with it. */
const MARK = 'sealed:'
type SecretStorage = Pick<Kernel, 'sealer'> & { readonly oldSite: Pick<Kernel['oldSite'], 'isInUse'> }
const CONTEXT = 'gatepost second factor'

/** Seals a secret for storage, unless an old site reads it too. */
export const sealSecret = ({ sealer, oldSite }: SecretStorage, text: string): string =>
  oldSite.isInUse ? text : `${MARK}${sealer.seal(text, CONTEXT)}`

/**
 * Opens a stored secret. Returns an unsealed one of a migrated site as it is.
 * @throws {AuthError} `secret_unreadable` if it isn't sealed with one of our keys
 */
export const openSecret = (sealer: Sealer, stored: string): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), CONTEXT) : stored

/** Returns a stored secret in the form in which it would be stored now. @throws {AuthError} `secret_unreadable` */
export const convertSecret = (storage: SecretStorage, stored: string): string =>
  stored.startsWith(MARK) !== storage.oldSite.isInUse ? stored : sealSecret(storage, openSecret(storage.sealer, stored))

/** Returns whether an error means that a stored secret is malformed or can't be opened. */
export const isUnreadable = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.code === 'secret_unreadable'

/**
 * Encrypts the secrets in an authenticator's stored data again, with the newest key. Returns the same text if there's
 * nothing to change.
 * @throws {AuthError} `secret_unreadable`
 */
export function resealSecrets(sealer: Sealer, data: string): string {
  const parsed: unknown = JSON.parse(data)
  const resealed = JSON.stringify(parsed, (name, value: unknown) => {
    if (SECRETS.has(name)) return resealSecret(sealer, value)
    return name === 'migrated_codes' && Array.isArray(value)
      ? value.map((code: unknown) => resealSecret(sealer, code))
      : value
  })
  return resealed === JSON.stringify(parsed) ? data : resealed
}

/** Members that hold a secret of an authenticator app or of recovery codes. */
const SECRETS: ReadonlySet<string> = new Set(['secret', 'seed'])

const resealSecret = (sealer: Sealer, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(MARK)
    ? `${MARK}${sealer.reseal(value.slice(MARK.length), CONTEXT)}`
    : value
