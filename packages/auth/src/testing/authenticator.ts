import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type Cbor, cbor } from './cbor.ts'

/** The COSE numbers of the authenticator's signature algorithms. @see RFC 9053, RFC 8812 */
const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const
type Algorithm = keyof typeof ALGORITHMS

/** Options in the JSON form in which a server sends them. */
export type PublicKeyOptions = Readonly<Record<string, unknown>>

/** Deviations of a response from that of a browser with a correct authenticator. */
export interface Unusual {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  /** `webauthn.create`, `webauthn.get` */
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly userPresent?: boolean
  readonly userVerified?: boolean
  readonly signCount?: number
  readonly backupEligible?: boolean
  readonly backedUp?: boolean
  /** The user handle as text; `null` for none. */
  readonly userHandle?: string | null
  /** The ID of the credential to sign with. Default: the first that the options allow, or the newest passkey. */
  readonly use?: string
  /** The attestation format, with an empty statement. Default: `none`. */
  readonly format?: string
  /** Signs different bytes from those it sends. */
  readonly forged?: boolean
}

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.create()`. */
export type RegistrationJson = {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly authenticatorAttachment: string
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: readonly string[]
  }
  readonly clientExtensionResults: Readonly<Record<string, unknown>>
}

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.get()`. */
export type AuthenticationJson = {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly authenticatorAttachment: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string
  }
  readonly clientExtensionResults: Readonly<Record<string, unknown>>
}

/** A software authenticator, including the browser's part. @see W3C, "Web Authentication" Level 3 */
export interface SoftwareAuthenticator {
  /** Creates a credential. @throws {Error} if it has one of the excluded credentials */
  create(publicKey: PublicKeyOptions, unusual?: Unusual): RegistrationJson
  /** Signs in. @throws {Error} if it has no matching credential */
  get(publicKey: PublicKeyOptions, unusual?: Unusual): AuthenticationJson
  /** Returns the IDs of its credentials, oldest first. */
  ids(): readonly string[]
}

interface Key {
  readonly id: string
  readonly userHandle: string
  readonly resident: boolean
  readonly privateKey: KeyObject
  readonly algorithm: Algorithm
  count: number
}

interface Made {
  /** The requesting page's origin. */
  readonly origin: string
  readonly algorithm?: Algorithm
  /** Whether it can verify the user, with a PIN or a fingerprint. Default: yes. */
  readonly verifiesUsers?: boolean
  /** Whether it counts signatures, which synchronized passkeys don't. Default: yes. */
  readonly counts?: boolean
  /** Whether its keys are synchronized to other devices. Default: no. */
  readonly synchronised?: boolean
}

/** Creates an authenticator. @param made Its properties. */
export function softwareAuthenticator(made: Made): SoftwareAuthenticator {
  const keys: Key[] = []
  return {
    ids: () => keys.map(({ id }) => id),
    create: (publicKey, unusual = {}) => create(made, keys, publicKey, unusual),
    get: (publicKey, unusual = {}) => get(made, chooseKey(keys, publicKey, unusual), publicKey, unusual),
  }
}

function create(made: Made, keys: Key[], publicKey: PublicKeyOptions, unusual: Unusual): RegistrationJson {
  if (listCredentialIds(publicKey['excludeCredentials']).some((id) => keys.some((key) => key.id === id))) {
    throw new Error('InvalidStateError: this authenticator is registered')
  }
  const { algorithm = 'ES256' } = made
  const rpId = unusual.rpId ?? text(record(publicKey['rp'])['id'], new URL(made.origin).hostname)
  const selection = record(publicKey['authenticatorSelection'])
  const pair = generate(algorithm)
  const id = randomBytes(32)
  const key: Key = {
    id: id.toString('base64url'),
    userHandle: text(record(publicKey['user'])['id']),
    resident: selection['residentKey'] === 'required',
    privateKey: pair.privateKey,
    algorithm,
    count: 0,
  }
  keys.push(key)
  const clientData = buildClientData(made, text(publicKey['challenge']), 'webauthn.create', unusual)
  const flags = buildFlags(made, text(selection['userVerification'], 'preferred'), unusual) | 0x40
  const authData = Buffer.concat([
    authenticatorData(rpId, flags, unusual.signCount ?? key.count),
    Buffer.alloc(16),
    Buffer.from([id.length >> 8, id.length & 0xff]),
    id,
    cbor(coseKey(pair.publicKey, algorithm)),
  ])
  const attestation = new Map<string, Cbor>([
    ['fmt', unusual.format ?? 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  const wantsProps = record(publicKey['extensions'])['credProps'] === true
  return {
    ...toCredentialHead(key),
    response: {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    },
    clientExtensionResults: wantsProps ? { credProps: { rk: key.resident } } : {},
  }
}

function get(made: Made, key: Key, publicKey: PublicKeyOptions, unusual: Unusual): AuthenticationJson {
  const rpId = unusual.rpId ?? text(publicKey['rpId'], new URL(made.origin).hostname)
  if (made.counts !== false) key.count++
  const clientData = buildClientData(made, text(publicKey['challenge']), 'webauthn.get', unusual)
  const flags = buildFlags(made, text(publicKey['userVerification'], 'preferred'), unusual)
  const data = authenticatorData(rpId, flags, unusual.signCount ?? key.count)
  const signed = Buffer.concat([data, hash(unusual.forged === true ? randomBytes(8) : clientData)])
  return {
    ...toCredentialHead(key),
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign(key.algorithm === 'EdDSA' ? null : 'sha256', signed, key.privateKey).toString('base64url'),
      ...userHandle(key, unusual),
    },
    clientExtensionResults: {},
  }
}

/** Returns the user handle, which only passkeys have. */
function userHandle(key: Key, unusual: Unusual): { readonly userHandle?: string } {
  if (unusual.userHandle === null) return {}
  if (unusual.userHandle !== undefined) return { userHandle: Buffer.from(unusual.userHandle).toString('base64url') }
  return key.resident ? { userHandle: key.userHandle } : {}
}

function chooseKey(keys: readonly Key[], publicKey: PublicKeyOptions, { use }: Unusual): Key {
  const allowed = listCredentialIds(publicKey['allowCredentials'])
  const fits = ({ id, resident }: Key): boolean =>
    use === undefined ? (allowed.length > 0 ? allowed.includes(id) : resident) : id === use
  const key = allowed.length > 0 ? keys.find(fits) : keys.findLast(fits)
  if (key === undefined) throw new Error('NotAllowedError: this authenticator has no such credential')
  return key
}

const toCredentialHead = ({ id }: Key) => ({
  id,
  rawId: id,
  type: 'public-key',
  authenticatorAttachment: 'platform',
})

function buildClientData({ origin }: Made, challenge: string, type: string, unusual: Unusual): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: unusual.type ?? type,
      challenge: unusual.challenge ?? challenge,
      origin: unusual.origin ?? origin,
      crossOrigin: unusual.crossOrigin ?? false,
    }),
  )
}

function buildFlags(made: Made, asked: string, unusual: Unusual): number {
  const { synchronised = false } = made
  const verified = unusual.userVerified ?? (made.verifiesUsers !== false && asked !== 'discouraged')
  return (
    (unusual.userPresent === false ? 0 : 0x01) |
    (verified ? 0x04 : 0) |
    ((unusual.backupEligible ?? synchronised) ? 0x08 : 0) |
    ((unusual.backedUp ?? synchronised) ? 0x10 : 0)
  )
}

function authenticatorData(rpId: string, flags: number, count: number): Buffer {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(count)
  return Buffer.concat([hash(rpId), Buffer.from([flags]), counter])
}

function generate(algorithm: Algorithm): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** @see RFC 9053 section 7, RFC 8230 section 4 */
function coseKey(publicKey: KeyObject, algorithm: Algorithm): Cbor {
  const jwk = publicKey.export({ format: 'jwk' })
  const bytes = (value: string | undefined): Buffer => Buffer.from(value ?? '', 'base64url')
  const alg: [number, Cbor] = [3, ALGORITHMS[algorithm]]
  if (algorithm === 'RS256') return new Map<number, Cbor>([[1, 3], alg, [-1, bytes(jwk.n)], [-2, bytes(jwk.e)]])
  if (algorithm === 'EdDSA') return new Map<number, Cbor>([[1, 1], alg, [-1, 6], [-2, bytes(jwk.x)]])
  return new Map<number, Cbor>([[1, 2], alg, [-1, 1], [-2, bytes(jwk.x)], [-3, bytes(jwk.y)]])
}

const hash = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()

const listCredentialIds = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((entry: unknown) => text(record(entry)['id'])) : []

const text = (value: unknown, fallback = ''): string => (typeof value === 'string' ? value : fallback)

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
