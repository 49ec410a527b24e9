import type { Authenticator, AuthenticatorData } from '../mfa.ts'
import { toRecord, type RegistrationCredential, parseTransports } from './credential.ts'

/**
 * Returns the data to store for a credential: the reference's members, plus the sign count and whether the user was
 * verified.
 */
export const keyData = (
  name: string,
  credential: RegistrationCredential,
  { signCount, userVerified }: { readonly signCount: number; readonly userVerified: boolean },
): AuthenticatorData => ({ name, credential, sign_count: signCount, user_verified: userVerified })

/**
 * Returns whether a key is a passkey: it reported being discoverable and was added with user verification. `null` if
 * it didn't report it.
 * @see W3C, "Web Authentication" Level 3, 10.1.3 (`credProps`)
 */
export function isPasskey({ data }: Pick<Authenticator, 'data'>): boolean | null {
  const extensions = toRecord(toRecord(data['credential'])['clientExtensionResults'])
  const { rk } = toRecord(extensions['credProps'])
  return typeof rk === 'boolean' ? rk && data['user_verified'] !== false : null
}

/** A stored credential. */
export interface StoredKey {
  /** base64url */
  readonly id: string
  /** base64url */
  readonly attestationObject: string
  readonly transports: readonly string[]
  /** `null`: of an old site, which did not count. */
  readonly signCount: number | null
}

/** Reads a row, of an old site too. What is missing in it is empty. */
export function parseStoredKey({ data }: Pick<Authenticator, 'data'>): StoredKey {
  const credential = toRecord(data['credential'])
  const response = toRecord(credential['response'])
  const count = data['sign_count']
  return {
    id: stripPadding(credential['rawId'] ?? credential['id']),
    attestationObject: stripPadding(response['attestationObject']),
    transports: parseTransports(response['transports']),
    signCount: typeof count === 'number' ? count : null,
  }
}

const stripPadding = (value: unknown): string => (typeof value === 'string' ? value.replace(/=+$/, '') : '')
