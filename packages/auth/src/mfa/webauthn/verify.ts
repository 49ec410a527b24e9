import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import { isOrigin } from '../../kernel/http/csrf.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Mfa } from '../second-factors.ts'
import type { AuthenticationCredential, RegistrationCredential } from './credential.ts'
import { ALGORITHMS } from './options.ts'

/** Expected values of a response. */
interface Expected {
  readonly challenge: string
  readonly rpId: string
  readonly userVerification: boolean
  isOrigin(origin: string): boolean
}

/** A registered credential, from the stored response of the browser. */
export interface Registered {
  readonly id: string
  readonly attestationObject: string
}

type Result<T> = (T & { readonly ok: true }) | { readonly ok: false; readonly reason: string }

/** A well-formed ECDSA signature (RFC 3279 section 2.2.3) that is wrong for every key. */
const NO_SIGNATURE = { signature: Buffer.from('3006020101020101', 'hex'), data: new Uint8Array() }

/** Loads the library when the first key is used, because it's large. */
const load = () => Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')])

/**
 * Verifies a new credential. Ignores the attestation: nothing depends on it, and checking a certificate chain would
 * make the server request URLs that it contains.
 * @see W3C, "Web Authentication" Level 3, 7.1
 */
export async function verifyRegistration(
  given: RegistrationCredential,
  expected: Expected,
): Promise<Result<{ readonly signCount: number; readonly userVerified: boolean }>> {
  const [server, helpers] = await load()
  return resultOrRefusal(async () => {
    const { clientDataJSON, attestationObject } = given.response
    const bytes = helpers.isoBase64URL.toBuffer(attestationObject)
    // The decoder ignores missing and trailing bytes.
    if (cborLength(bytes) !== bytes.length) throw new Error('The attestation object has another length')
    const authData = helpers.decodeAttestationObject(bytes).get('authData')
    const { verified, registrationInfo } = await server.verifyRegistrationResponse({
      response: {
        id: given.id,
        rawId: given.rawId,
        type: given.type,
        response: { clientDataJSON, attestationObject: toNoneAttestation(authData) },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: ownOrigin(clientDataJSON, expected),
      expectedRPID: expected.rpId,
      requireUserVerification: expected.userVerification,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified) throw new Error('The credential is not verified')
    const { credential, userVerified } = registrationInfo
    if (credential.id !== given.id) throw new Error('The credential has another id')
    // Nothing is signed here. This detects an invalid public key now, not when its owner can't sign in.
    await helpers.verifySignature({ ...NO_SIGNATURE, credentialPublicKey: credential.publicKey })
    return { ok: true, signCount: credential.counter, userVerified }
  })
}

/** Result of a valid signature. */
export interface Signed {
  /** Signature count; 0 if the authenticator doesn't count. */
  readonly signCount: number
  /** Signature count at registration. */
  readonly registeredCount: number
}

/** Checks a signature by a stored credential. @see W3C, "Web Authentication" Level 3, 7.2 */
export async function verifyAuthentication(
  { id, attestationObject }: Registered,
  given: AuthenticationCredential,
  expected: Expected,
): Promise<Result<Signed>> {
  const [server, helpers] = await load()
  return resultOrRefusal(async () => {
    const stored = helpers.decodeAttestationObject(helpers.isoBase64URL.toBuffer(attestationObject)).get('authData')
    const { credentialPublicKey, counter: registeredCount, flags } = helpers.parseAuthenticatorData(stored)
    if (credentialPublicKey === undefined) throw new Error('The stored credential has no key')
    const { verified, authenticationInfo } = await server.verifyAuthenticationResponse({
      response: {
        id: given.id,
        rawId: given.id,
        type: 'public-key',
        response: {
          clientDataJSON: given.clientDataJSON,
          authenticatorData: given.authenticatorData,
          signature: given.signature,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: ownOrigin(given.clientDataJSON, expected),
      expectedRPID: expected.rpId,
      requireUserVerification: expected.userVerification,
      // `useKey` compares the count, while it holds the lock.
      credential: { id, publicKey: credentialPublicKey, counter: 0 },
    })
    if (!verified) throw new Error('The signature is wrong')
    if (given.id !== id) throw new Error('The signature is of another credential')
    // Anyone who finds a key without a PIN can set one.
    if (expected.userVerification && !flags.uv) throw new Error('The key was added without verifying its user')
    if (flags.be !== (authenticationInfo.credentialDeviceType === 'multiDevice')) {
      throw new Error('Whether the credential may be copied has changed')
    }
    return { ok: true, signCount: authenticationInfo.newCounter, registeredCount }
  })
}

/** Runs `work`; any exception caused by untrusted input, even deep in a decoder, counts as a refusal. */
async function resultOrRefusal<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message.slice(0, 300) : 'unknown' }
  }
}

/** Returns the origin in the client data. @throws {Error} if it isn't one of ours, or in a cross-origin frame */
function ownOrigin(clientDataJSON: string, { isOrigin }: Expected): string {
  const clientData: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  const { origin, crossOrigin } = Object(clientData) as { origin?: unknown; crossOrigin?: unknown } // an object of anything
  if (typeof origin !== 'string' || !isOrigin(origin)) throw new Error('The page is of another origin')
  if (crossOrigin === true) throw new Error('The page is in a frame of another origin')
  return origin
}

/** Returns an attestation object without an attestation: `{fmt: 'none', attStmt: {}, authData}`. */
function toNoneAttestation(authData: Uint8Array): string {
  if (authData.length > 0xffff) throw new Error('The authenticator data is too long')
  const head = Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
  ])
  return Buffer.concat([head, authData]).toString('base64url')
}

/**
 * Returns the number of bytes of the first item, however deeply nested; `null` if it's incomplete or has an indefinite
 * length, which authenticators must not use. @see RFC 8949 section 3, CTAP 2.1 section 8
 */
export function cborLength(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  for (let items = 1; items > 0; items--) {
    if (at >= bytes.length) return null
    const head = view.getUint8(at++)
    const [major, information] = [head >> 5, head & 31]
    if (information > 27) return null
    const size = information < 24 ? 0 : 2 ** (information - 24)
    if (at + size > bytes.length) return null
    const value = size === 0 ? information : readCborNumber(view, at, size)
    at += size
    if (major === 2 || major === 3) at += value
    if (major === 4) items += value
    if (major === 5) items += 2 * value
    if (major === 6) items += 1
  }
  return at <= bytes.length ? at : null
}

function readCborNumber(view: DataView, at: number, size: number): number {
  if (size === 1) return view.getUint8(at)
  if (size === 2) return view.getUint16(at)
  return size === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
}

/** Returns the expected values of a WebAuthn response. */
export const buildExpected = (
  mfa: Mfa,
  request: Visit,
  issued: Pick<Expected, 'challenge' | 'userVerification'>,
): Expected => ({
  ...issued,
  rpId: mfa.adapter.getPublicKeyCredentialRpEntity(request).id,
  isOrigin: (origin) => isOwnOrigin(request, origin),
})

/** Returns the error for a wrong credential. It doesn't reveal what is wrong. */
export const wrongCredential = (account: Account): InvalidInput =>
  new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'credential' })])

/**
 * Returns whether a page of this origin may use the site's credentials: the visited origin and the trusted ones, or
 * any origin with `webauthnAllowInsecureOrigin`.
 * @see W3C, "Web Authentication" Level 3, 13.4.9
 */
function isOwnOrigin(request: Visit, origin: string): boolean {
  if (request.kernel.settings.mfa.webauthnAllowInsecureOrigin) return true
  return [request.url.origin, ...request.kernel.settings.csrfTrustedOrigins].some((known) => isOrigin(known, origin))
}
