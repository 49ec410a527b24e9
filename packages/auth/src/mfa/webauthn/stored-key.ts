import type { Authenticator, AuthenticatorData } from '../mfa.ts'
import { record, type RegistrationCredential, transportsOf } from './credential.ts'

/** What is kept of a credential: as the reference has it, and besides how often it has signed. */
export const keyData = (name: string, credential: RegistrationCredential, signCount: number): AuthenticatorData => ({
  name,
  credential,
  sign_count: signCount,
})

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
