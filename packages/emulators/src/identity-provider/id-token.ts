import { createHash, createPublicKey, sign } from 'node:crypto'
import { IDENTITY_PROVIDER_CERTIFICATE, IDENTITY_PROVIDER_KEY } from './keys.ts'
import type { Members } from './shape.ts'
import type { Fault } from './state.ts'

const KEY_ID = 'emulated-key-1'
const OTHER_KEY_ID = 'key-of-nobody'
const LIFE_SECONDS = 300

/** What an id token says, before faults. */
export interface IdTokenInput {
  readonly issuer: string
  readonly audience: string
  readonly nonce: string | null
  readonly accessToken: string | null
  /** Unique. */
  readonly id: string
  readonly nowMs: number
  /** `sub` and what the provider adds; wins over the rest. */
  readonly claims: Members
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** `at_hash` of an access token, for RS256. OpenID Connect Core 3.1.3.6 */
function halfHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
}

function claimsOf(input: IdTokenInput, fault: Fault | null): Members {
  const now = Math.floor(input.nowMs / 1000) - (fault === 'expired' ? 86_400 : 0)
  const nonce = fault === 'wrong_nonce' ? 'another-nonce' : input.nonce
  return {
    iss: fault === 'wrong_issuer' ? 'https://another-issuer.example' : input.issuer,
    aud: fault === 'wrong_audience' ? 'another-client' : input.audience,
    iat: now,
    exp: now + LIFE_SECONDS,
    jti: input.id,
    ...(nonce === null ? {} : { nonce }),
    ...(input.accessToken === null ? {} : { at_hash: halfHash(input.accessToken) }),
    ...input.claims,
  }
}

/** A signed id token, RS256, or one with the fault. */
export function idTokenOf(input: IdTokenInput, fault: Fault | null = null): string {
  const header = {
    typ: 'JWT',
    alg: fault === 'unsigned' ? 'none' : 'RS256',
    kid: fault === 'unknown_key' ? OTHER_KEY_ID : KEY_ID,
  }
  const content = `${encode(header)}.${encode(claimsOf(input, fault))}`
  if (fault === 'unsigned') return `${content}.`
  const signed = fault === 'bad_signature' ? `${content} ` : content
  return `${content}.${sign('sha256', Buffer.from(signed), IDENTITY_PROVIDER_KEY).toString('base64url')}`
}

/** The key set that id tokens are verified with, or with another id. RFC 7517 */
export function keySet(isOther: boolean): Members {
  const { kty, n, e } = createPublicKey(IDENTITY_PROVIDER_CERTIFICATE).export({ format: 'jwk' })
  return { keys: [{ kty, n, e, use: 'sig', alg: 'RS256', kid: isOther ? 'key-of-tomorrow' : KEY_ID }] }
}

/** The same as certificates by key id, as Google shows them. */
export const keyCertificates = (isOther: boolean): Members => ({
  [isOther ? 'key-of-tomorrow' : KEY_ID]: IDENTITY_PROVIDER_CERTIFICATE,
})
