import type { KeyObject } from 'node:crypto'
import type { CryptoKey, JWTPayload, JWTVerifyGetKey } from 'jose'
import { rsaKeys } from '../../kernel/crypto/rsa-keys.ts'
import type { Signer } from '../../kernel/crypto/crypto.ts'

/** The purpose of a token. */
export type TokenUse = 'access' | 'refresh'

/** The claims of every token issued here. */
export interface OwnClaims {
  readonly iss?: string
  readonly aud?: string
  /** Seconds since the Unix epoch. */
  readonly iat: number
  readonly exp: number
  readonly sid: string
  readonly jti: string
  readonly token_use: TokenUse
  readonly sub: string
}

/** The inputs of `createJwt`. */
export interface JwtOptions {
  readonly algorithm: string
  /**
   * For RS algorithms, PEM blocks, of which the first one signs. For HS, a secret, or empty to derive one from the
   * secret key.
   */
  readonly key: string
  /** The `iss` and `aud` claims. Without them, tokens have none, and any are accepted. */
  readonly issuer: string | null
  readonly audience: string | null
}

/** Signs and verifies JWTs. */
export interface Jwt {
  /** Signs a token. @param extra Additional claims, which can't replace ours. */
  sign(claims: Omit<OwnClaims, 'iss' | 'aud'>, extra?: Readonly<Record<string, unknown>>): Promise<string>
  /**
   * Returns the claims, or `null` if the signature is invalid, or the token has expired or has another use, or another
   * issuer or audience if these are set.
   */
  verify(token: string, use: TokenUse, nowMs: number): Promise<(OwnClaims & JWTPayload) | null>
}

/** The longest token accepted, in characters. */
const LONGEST = 16_000
const SALT = 'gatepost.headless.jwt'

/**
 * Creates the signer. The keys and `jose` are loaded with the first token.
 * @see RFC 7519 (JWT), RFC 7638 (`kid`), RFC 8725 (one algorithm, one use for each token)
 */
export function createJwt(options: JwtOptions, signer: Signer): Jwt {
  const { algorithm, issuer, audience } = options
  let opening: Promise<Keys> | null = null
  let ready: Keys | null = null
  const keys = async (): Promise<Keys> => (ready = await (opening ??= openKeys(options, signer)))
  const named = { ...(issuer !== null && { iss: issuer }), ...(audience !== null && { aud: audience }) }
  const expected = {
    algorithms: [algorithm],
    requiredClaims: ['exp'],
    ...(issuer !== null && { issuer }),
    ...(audience !== null && { audience }),
  }
  return {
    async sign(claims, extra = {}) {
      const { jose, signing, kid } = await keys()
      return new jose.SignJWT({ ...extra, ...claims, ...named })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(kid !== null && { kid }) })
        .sign(signing)
    },
    async verify(token, use, nowMs) {
      if (token.length > LONGEST) return null
      const { jose, verifying } = ready ?? (await keys())
      const limits = { ...expected, currentDate: new Date(nowMs) }
      for (const key of verifying) {
        try {
          const { payload } = await jose.jwtVerify(token, key, limits)
          return isOwn(payload, use) ? payload : null
        } catch (error) {
          if (!(error instanceof jose.errors.JOSEError)) throw error
          if (!(error instanceof jose.errors.JWSSignatureVerificationFailed)) return null
        }
      }
      return null
    },
  }
}

function isOwn(payload: JWTPayload, use: TokenUse): payload is OwnClaims & JWTPayload {
  const { jti, sub, sid, exp, iat, token_use } = payload
  const areTexts = typeof jti === 'string' && typeof sub === 'string' && typeof sid === 'string'
  return areTexts && typeof exp === 'number' && typeof iat === 'number' && token_use === use
}

/** The imported keys. */
interface Keys {
  readonly jose: Jose
  readonly signing: CryptoKey
  /** The signing key's ID; `null` for a secret, which has none. */
  readonly kid: string | null
  /** The keys to try, in order. */
  readonly verifying: readonly (CryptoKey | JWTVerifyGetKey)[]
}

async function openKeys({ algorithm, key }: JwtOptions, signer: Signer): Promise<Keys> {
  const jose = await openJose()
  if (algorithm.startsWith('HS')) {
    const secrets = key === '' ? deriveSecrets(signer) : [Buffer.from(key)]
    const imported = await Promise.all(secrets.map((secret) => importSecret(secret, algorithm)))
    return { jose, signing: requireFirst(imported), kid: null, verifying: imported }
  }
  const pairs = rsaKeys(key)
  if (pairs === null) throw new Error('unreadable key in the settings') // checked at startup
  const byKid = new Map<unknown, CryptoKey>()
  for (const { publicKey } of pairs) {
    const kid = await jose.calculateJwkThumbprint(publicKey)
    byKid.set(kid, await importRsaKey(publicKey, algorithm, 'verify'))
  }
  const signing = await importRsaKey(pairs[0].privateKey, algorithm, 'sign')
  const resolve: JWTVerifyGetKey = ({ kid }) => {
    const found = byKid.get(kid)
    if (found === undefined) throw new jose.errors.JWKSNoMatchingKey()
    return found
  }
  return { jose, signing, kid: String(requireFirst([...byKid.keys()])), verifying: [resolve] }
}

/** Loads only the parts of the library that are used here. */
async function openJose() {
  const { jwtVerify } = await import('jose/jwt/verify')
  const { SignJWT } = await import('jose/jwt/sign')
  const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint')
  const errors = await import('jose/errors')
  return { jwtVerify, SignJWT, calculateJwkThumbprint, errors }
}
type Jose = Awaited<ReturnType<typeof openJose>>

const digestName = (algorithm: string): string => `SHA-${algorithm.slice(2)}`

/** Imports an RSA key: a private one to sign, a public one to verify. */
function importRsaKey(key: KeyObject, algorithm: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const format = use === 'sign' ? 'pkcs8' : 'spki'
  const bytes = new Uint8Array(key.export({ type: format, format: 'der' }))
  const parameters = { name: 'RSASSA-PKCS1-v1_5', hash: digestName(algorithm) }
  return crypto.subtle.importKey(format, bytes, parameters, false, [use])
}

const importSecret = (secret: Uint8Array<ArrayBuffer>, algorithm: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: digestName(algorithm) }, false, ['sign', 'verify'])

/** Derives a secret of 64 bytes from each secret key, so that tokens stay valid after a key change. */
function deriveSecrets(signer: Signer): readonly Buffer<ArrayBuffer>[] {
  const [left, right] = [signer.fingerprints('1', SALT), signer.fingerprints('2', SALT)]
  return left.map((half, at) => Buffer.from(`${half}${right[at] ?? ''}`, 'hex'))
}

function requireFirst<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('no key')
  return first
}
