import type { CryptoKey, JWK, JWTHeaderParameters } from 'jose'
import type { Clock } from '../../kernel/io.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { clockedCache } from './clocked-cache.ts'
import { type ExchangeIo, ProviderError, type TokenReplay } from '../exchange.ts'
import { askProvider, expectReplyObject } from './provider-reply.ts'

/** What an ID token must match. */
export interface IdTokenExpectation {
  /** URL of its keys: a JWK set (RFC 7517 section 5), or certificates by key ID. */
  readonly jwksUrl: string
  readonly issuers: readonly string[]
  /** Our client IDs. */
  readonly audiences: readonly string[]
  /** Accepted signature algorithms, never read from the token itself. */
  readonly algorithms: readonly string[]
  /** Absent if none was sent. */
  readonly nonce?: string
}

const CLOCK_TOLERANCE_SECONDS = 60
const KEYS_FOR_MS = 10 * 60_000
/** Minimum time between fetches because of unknown key IDs. */
const REFETCH_AFTER_MS = 30_000

const keySets = clockedCache<JsonObject>(200)

/**
 * Returns the claims of an ID token after checking its signature, issuer, audience, expiry, and nonce, and `azp` if it
 * has several audiences.
 * @throws {ProviderError} `unknown`
 * @see OpenID Connect Core 1.0 section 3.1.3.7, RFC 8725
 */
export async function verifyIdToken(
  io: ExchangeIo,
  idToken: string,
  expected: IdTokenExpectation,
): Promise<JsonObject> {
  const { decodeProtectedHeader, errors, jwtVerify } = await import('jose')
  const options = {
    algorithms: [...expected.algorithms],
    issuer: [...expected.issuers],
    audience: [...expected.audiences],
    currentDate: new Date(io.clock.now()),
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  // Uses only the codes of the library's errors, which contain claims.
  const refused = (error: unknown): string => (error instanceof errors.JOSEError ? error.code : 'malformed')
  const read = await Promise.resolve()
    .then(() => ({ header: decodeProtectedHeader(idToken) }))
    .catch((error: unknown) => ({ refused: refused(error) }))
  if ('refused' in read) throw new ProviderError('unknown', `the id token was refused: ${read.refused}`)
  if (!expected.algorithms.includes(String(read.header.alg))) {
    throw new ProviderError('unknown', 'the id token is signed with an algorithm that is not allowed')
  }
  if (read.header.typ !== undefined && !/^(application\/)?jwt$/i.test(read.header.typ)) {
    throw new ProviderError('unknown', 'the token is none that tells who somebody is') // RFC 8725, section 3.11
  }
  // The compact form always has `alg`: the library has checked it above.
  const key = await loadVerificationKey(io, expected.jwksUrl, read.header as JWTHeaderParameters)
  const verified = await jwtVerify(idToken, key, options).catch((error: unknown) => ({ refused: refused(error) }))
  if ('refused' in verified) throw new ProviderError('unknown', `the id token was refused: ${verified.refused}`)
  const claims: JsonObject = verified.payload
  checkIdTokenAudience(claims, expected)
  return claims
}

function checkIdTokenAudience(claims: JsonObject, { audiences, nonce }: IdTokenExpectation): void {
  if (typeof claims['sub'] !== 'string') throw new ProviderError('unknown', 'the id token is of nobody')
  const party = claims['azp']
  const several = Array.isArray(claims['aud']) && claims['aud'].length > 1
  // With one audience, `azp` can be another client of the same project, such as a mobile app.
  if (several && !(typeof party === 'string' && audiences.includes(party))) {
    throw new ProviderError('unknown', 'the id token was issued to another client')
  }
  if (nonce !== undefined && claims['nonce'] !== nonce) {
    throw new ProviderError('unknown', 'the id token is not the answer to this request')
  }
}

/** Returns the record that makes an ID token valid only once; `null` if it has no `jti`. */
export function toIdTokenReplay(claims: JsonObject): TokenReplay | null {
  const { iss, jti, exp } = claims
  if (typeof iss !== 'string' || typeof jti !== 'string' || typeof exp !== 'number') return null
  return { issuer: iss, jti, expiresAtMs: (exp + CLOCK_TOLERANCE_SECONDS) * 1000 }
}

/** Returns the key of a token. Fetches the keys again for an unknown key ID, because keys change. */
async function loadVerificationKey(io: ExchangeIo, url: string, header: JWTHeaderParameters): Promise<CryptoKey> {
  const known = keySets.get(io.clock, url)
  const key = known === null ? null : await keyIn(known.value, header)
  if (key !== null) return key
  if (known !== null && io.clock.now() - known.atMs < REFETCH_AFTER_MS) throw unknownKeyError()
  const found = await keyIn(await getKeySet(io, url), header)
  if (found === null) throw unknownKeyError()
  return found
}

/** Pending fetches of keys, shared by concurrent requests. */
const pendingFetches = new WeakMap<Clock, Map<string, Promise<JsonObject>>>()

function getKeySet(io: ExchangeIo, url: string): Promise<JsonObject> {
  const pending = pendingFetches.get(io.clock) ?? new Map<string, Promise<JsonObject>>()
  pendingFetches.set(io.clock, pending)
  const known = pending.get(url)
  if (known !== undefined) return known
  const fetched = fetchKeys(io, url).finally(() => pending.delete(url))
  pending.set(url, fetched)
  return fetched
}

async function fetchKeys(io: ExchangeIo, url: string): Promise<JsonObject> {
  const request = new Request(url, { headers: { accept: 'application/json' } })
  const keys = expectReplyObject(await askProvider(io, request, 'the keys'), 'the keys')
  keySets.set(io.clock, url, keys, KEYS_FOR_MS)
  return keys
}

const unknownKeyError = (): ProviderError => new ProviderError('unknown', 'the id token is signed with an unknown key')

/** Returns a token's key, or `null` if it's missing or unreadable. */
async function keyIn(keys: JsonObject, header: JWTHeaderParameters): Promise<CryptoKey | null> {
  const { createLocalJWKSet, importX509 } = await import('jose')
  if (Array.isArray(keys['keys'])) {
    const listed = keys['keys'].filter((key): key is JWK => isRecord(key) && typeof key['kty'] === 'string')
    const find = createLocalJWKSet({ keys: listed })
    return find(header).catch(() => null)
  }
  const certificate = header.kid === undefined || !Object.hasOwn(keys, header.kid) ? undefined : keys[header.kid]
  return typeof certificate === 'string' ? importX509(certificate, header.alg).catch(() => null) : null
}
