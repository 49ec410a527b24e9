import type { CredentialInput, Authenticator, AuthenticatorData } from '../mfa.ts'

/** Characters. With a chain of certificates, which nobody asks for, the largest is some ten thousand long. */
const MAX = {
  id: 1_400,
  clientData: 10_000,
  attestation: 60_000,
  data: 10_000,
  signature: 10_000,
  handle: 400,
} as const

/** A new credential, as far as it is kept: the JSON form of the answer of a browser. */
export type RegistrationCredential = {
  readonly type: 'public-key'
  readonly id: string
  readonly rawId: string
  readonly authenticatorAttachment?: 'platform' | 'cross-platform'
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: string[]
  }
  readonly clientExtensionResults: { readonly credProps?: { readonly rk?: boolean } }
}

/** A signature, as far as it is looked at. Bytes are base64url. */
export interface AuthenticationCredential {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  /** `null`: the key does not know whose it is. */
  readonly userHandle: string | null
}

/** Parses a registration response; `null` if it is malformed. Drops members that a browser or a host adds. */
export function registrationCredential(input: CredentialInput): RegistrationCredential | null {
  const id = credentialId(input)
  const response = toRecord(input['response'])
  const clientDataJSON = base64url(response['clientDataJSON'], MAX.clientData)
  const attestationObject = base64url(response['attestationObject'], MAX.attestation)
  if (id === null || clientDataJSON === null || attestationObject === null) return null
  const attachment = input['authenticatorAttachment']
  const rk = toRecord(toRecord(input['clientExtensionResults'])['credProps'])['rk']
  return {
    type: 'public-key',
    id,
    rawId: id,
    ...(attachment === 'platform' || attachment === 'cross-platform' ? { authenticatorAttachment: attachment } : {}),
    response: { clientDataJSON, attestationObject, transports: parseTransports(response['transports']) },
    clientExtensionResults: typeof rk === 'boolean' ? { credProps: { rk } } : {},
  }
}

/** `null`: it is none. */
export function authenticationCredential(input: CredentialInput): AuthenticationCredential | null {
  const id = credentialId(input)
  const response = toRecord(input['response'])
  const clientDataJSON = base64url(response['clientDataJSON'], MAX.clientData)
  const authenticatorData = base64url(response['authenticatorData'], MAX.data)
  const signature = base64url(response['signature'], MAX.signature)
  const given = response['userHandle'] ?? ''
  const userHandle = given === '' ? null : base64url(given, MAX.handle)
  if (id === null || clientDataJSON === null || authenticatorData === null || signature === null) return null
  return given !== '' && userHandle === null ? null : { id, clientDataJSON, authenticatorData, signature, userHandle }
}

/** Returns the transports of a key, which help the browser reach it. */
const parseTransports = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((name): name is string => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name)).slice(0, 10)
    : []

/** An object as a record, everything else as an empty one. */
const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

function credentialId(input: CredentialInput): string | null {
  const id = base64url(input['id'], MAX.id)
  return input['type'] === 'public-key' && id !== null && input['rawId'] === id ? id : null
}

function base64url(value: unknown, max: number): string | null {
  return typeof value === 'string' && value.length <= max && /^[A-Za-z0-9_-]+$/.test(value) ? value : null
}

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
interface StoredKey {
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
