import type { CredentialInput } from '../mfa.ts'

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
export const parseTransports = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((name): name is string => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name)).slice(0, 10)
    : []

/** An object as a record, everything else as an empty one. */
export const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

function credentialId(input: CredentialInput): string | null {
  const id = base64url(input['id'], MAX.id)
  return input['type'] === 'public-key' && id !== null && input['rawId'] === id ? id : null
}

function base64url(value: unknown, max: number): string | null {
  return typeof value === 'string' && value.length <= max && /^[A-Za-z0-9_-]+$/.test(value) ? value : null
}
