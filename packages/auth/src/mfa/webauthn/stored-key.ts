import type { Authenticator, AuthenticatorData } from '../mfa.ts'
import { record, type RegistrationCredential, transportsOf } from './credential.ts'

/** What is kept of a credential: as the reference has it, and besides how often it has signed, and whether for whom was checked. */
export const keyData = (
  name: string,
  credential: RegistrationCredential,
  { signCount, userVerified }: { readonly signCount: number; readonly userVerified: boolean },
): AuthenticatorData => ({ name, credential, sign_count: signCount, user_verified: userVerified })

/**
 * Whether a key signs in by itself: it has said that it keeps whose it is, and it was added by somebody it knew. `null`:
 * it has not said.
 * @see W3C, "Web Authentication" Level 3, 10.1.3 (`credProps`)
 */
export function isPasskey({ data }: Pick<Authenticator, 'data'>): boolean | null {
  const extensions = record(record(data['credential'])['clientExtensionResults'])
  const { rk } = record(extensions['credProps'])
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
export function storedKey({ data }: Pick<Authenticator, 'data'>): StoredKey {
  const credential = record(data['credential'])
  const response = record(credential['response'])
  const count = data['sign_count']
  return {
    id: unpadded(credential['rawId'] ?? credential['id']),
    attestationObject: unpadded(response['attestationObject']),
    transports: transportsOf(response['transports']),
    signCount: typeof count === 'number' ? count : null,
  }
}

const unpadded = (value: unknown): string => (typeof value === 'string' ? value.replace(/=+$/, '') : '')
