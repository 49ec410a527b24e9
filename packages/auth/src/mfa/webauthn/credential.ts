import type { CredentialInput, Authenticator, AuthenticatorData } from '../mfa.ts'

/** Maximum lengths in characters. With a certificate chain, which we don't request, the longest is about 10,000. */
const MAX_LENGTHS = {
  id: 1_400,
  clientData: 10_000,
  attestation: 60_000,
  data: 10_000,
  signature: 10_000,
  handle: 400,
} as const

/** The members of a new credential that are stored, in the JSON form of a browser's response. */
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

/** The members of an authentication response that are checked. Bytes are base64url. */
export interface AuthenticationCredential {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  /** `null` if the key returned none. */
  readonly userHandle: string | null
}

/** Parses a registration response; `null` if it is malformed. Drops members that a browser or a host adds. */
export function registrationCredential(input: CredentialInput): RegistrationCredential | null {
  const id = credentialId(input)
  const response = toRecord(input['response'])
  const clientDataJSON = base64url(response['clientDataJSON'], MAX_LENGTHS.clientData)
  const attestationObject = base64url(response['attestationObject'], MAX_LENGTHS.attestation)
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

/** Parses an authentication response; `null` if it's malformed. */
export function authenticationCredential(input: CredentialInput): AuthenticationCredential | null {
  const id = credentialId(input)
  const response = toRecord(input['response'])
  const clientDataJSON = base64url(response['clientDataJSON'], MAX_LENGTHS.clientData)
  const authenticatorData = base64url(response['authenticatorData'], MAX_LENGTHS.data)
  const signature = base64url(response['signature'], MAX_LENGTHS.signature)
  const given = response['userHandle'] ?? ''
  const userHandle = given === '' ? null : base64url(given, MAX_LENGTHS.handle)
  if (id === null || clientDataJSON === null || authenticatorData === null || signature === null) return null
  return given !== '' && userHandle === null ? null : { id, clientDataJSON, authenticatorData, signature, userHandle }
}

/** Returns the transports of a key, which help the browser reach it. */
const parseTransports = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((name): name is string => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name)).slice(0, 10)
    : []

/** Returns an object as a record, and anything else as an empty one. */
const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

function credentialId(input: CredentialInput): string | null {
  const id = base64url(input['id'], MAX_LENGTHS.id)
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
 * Returns whether a key is a passkey: it reported being discoverable, and wasn't added without user verification.
 * `null` if it didn't report whether it's discoverable.
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
  /** `null` for rows of migrated sites, which didn't store it. */
  readonly signCount: number | null
}

/** Reads a row, including one of a migrated site. Missing members are empty. */
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
