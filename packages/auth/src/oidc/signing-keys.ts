import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import { AuthError } from '../errors.ts'
import { rsaKeys } from '../kernel/crypto/rsa-keys.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { lockName } from '../kernel/schema/in-transaction.sql.ts'
import { isRecord } from '../kernel/settings/kind.ts'

/** How often a process checks whether another one has created a new key. */
const REFRESH_MS = 60_000

/** A key that signs tokens, or did in the past. */
interface SigningKey {
  /** The key's thumbprint (RFC 7638). */
  readonly kid: string
  /** `null` for a key that only verifies older signatures. */
  readonly privateKey: KeyObject | null
  readonly publicKey: KeyObject
}

/** The first key signs; all are published. */
export type KeyRing = readonly [SigningKey & { readonly privateKey: KeyObject }, ...SigningKey[]]

/** The signing keys of our OpenID Connect provider, either from the setting or shared through the database. */
export interface SigningKeys {
  /** Returns the keys, up to a minute out of date. */
  ring(): Promise<KeyRing>
  /** Returns the current keys. */
  freshRing(): Promise<KeyRing>
  /** Creates another signing key. @throws {AuthError} `permission_denied` if the setting defines the keys */
  rotate(): Promise<void>
}

/**
 * Creates the signing keys.
 * @throws {AuthError} `settings_invalid` if the setting isn't an RSA key of at least 2048 bits
 */
export function createSigningKeys(core: Pick<Kernel, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { privateKey } = core.settings.idpOidc
  return privateKey === '' ? createSharedKeys(core) : createConfiguredKeys(privateKey)
}

function createConfiguredKeys(pem: string): SigningKeys {
  const keys = rsaKeys(pem)
  if (keys === null) {
    const message =
      'IDP_OIDC_PRIVATE_KEY must be the PEM of a private RSA key with at least 2048 bits. Only RSA keys can follow it.'
    throw new AuthError('settings_invalid', { message })
  }
  const [first, ...others] = keys
  const ring: KeyRing = [withKeyId(first), ...others.map(withKeyId)]
  return {
    ring: () => Promise.resolve(ring),
    freshRing: () => Promise.resolve(ring),
    rotate: () => Promise.reject(new AuthError('permission_denied')),
  }
}

function createSharedKeys(core: Pick<Kernel, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { clock } = core
  const store = loadStoredKeys(core)
  const parsed = new Map<string, SigningKey>()
  const parseSigningKey = ({ pem }: StoredKey): SigningKey => {
    const known = parsed.get(pem)
    if (known !== undefined) return known
    const privateKey = createPrivateKey(pem)
    const key = withKeyId({ privateKey, publicKey: createPublicKey(privateKey) })
    parsed.set(pem, key)
    return key
  }
  const freshRing = async (): Promise<KeyRing> => createKeyRing((await store.load()).map(parseSigningKey))
  let cached: { readonly ring: Promise<KeyRing>; readonly untilMs: number } | null = null
  const remember = (): Promise<KeyRing> => {
    const ring = freshRing()
    const entry = { ring, untilMs: clock.now() + REFRESH_MS }
    cached = entry
    ring.catch(() => {
      if (cached === entry) cached = null
    })
    return ring
  }
  return {
    ring: () => (cached !== null && cached.untilMs > clock.now() ? cached.ring : remember()),
    freshRing,
    async rotate() {
      const { accessTokenExpiresIn, idTokenExpiresIn } = core.settings.idpOidc
      await store.rotate(Math.max(accessTokenExpiresIn, idTokenExpiresIn) * 1_000)
      await remember()
    },
  }
}

function createKeyRing(keys: readonly SigningKey[]): KeyRing {
  const [first, ...others] = keys
  if (first === undefined || first.privateKey === null) throw new Error('no signing key')
  return [{ ...first, privateKey: first.privateKey }, ...others]
}

function withKeyId<K extends Omit<SigningKey, 'kid'>>(key: K): K & { readonly kid: string } {
  const { e, kty, n } = key.publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
  return { ...key, kid }
}

/** Returns the public keys as a JWK set. @see RFC 7517 */
export const publicJwks = (ring: KeyRing): { readonly keys: readonly object[] } => ({
  keys: ring.map(({ kid, publicKey }) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'RS256',
    use: 'sig',
    key_ops: ['verify'],
  })),
})

const KIND = 'oidc-keys'
const ID = 'signing'
const BITS = 2048
const FOREVER_MS = 100 * 365 * 86_400_000
/** Allows for other processes that still sign with the previous key, and for clients that cache the keys. */
const MARGIN_MS = 3_600_000

/** A key in the database. */
interface StoredKey {
  readonly pem: string
  /** When a retired key stops being published, in milliseconds since the Unix epoch; `null` for the signing key. */
  readonly untilMs: number | null
}

/** The sealed keys in the database, shared by all processes. */
interface StoredKeys {
  /** Returns the unexpired keys, the signing key first; creates one if there is none. */
  load(): Promise<readonly StoredKey[]>
  /** Replaces the signing key. @param lifeMs The longest lifetime of a token signed with the current key. */
  rotate(lifeMs: number): Promise<void>
}

/** Creates the store of keys, which keeps them as an artifact. */
function loadStoredKeys({ artifacts, clock, database }: Pick<Kernel, 'artifacts' | 'database' | 'clock'>): StoredKeys {
  const kept = async (db = database.db): Promise<readonly StoredKey[]> =>
    parseStoredKeys(await artifacts.get(db, KIND, ID, clock.now()))
  const written = (keys: readonly StoredKey[]) => ({ payload: keys, expiresAtMs: clock.now() + FOREVER_MS })
  const load = async (): Promise<readonly StoredKey[]> => {
    const before = await kept()
    if (before.length > 0) return before.filter(({ untilMs }) => untilMs === null || untilMs > clock.now())
    const made: readonly StoredKey[] = [{ pem: await generatePem(), untilMs: null }]
    if (await artifacts.add(database.db, KIND, ID, written(made), clock.now())) return made
    const others = await kept()
    if (others.length > 0) return others
    // The keys exist but can't be opened, because the site's secret key has changed.
    await artifacts.put(database.db, KIND, ID, written(made))
    return made
  }
  return {
    load,
    async rotate(lifeMs) {
      await load()
      const pem = await generatePem()
      const untilMs = clock.now() + lifeMs + MARGIN_MS
      await database.transaction(async (tx) => {
        await lockName(database, tx, KIND)
        const older = (await kept(tx)).map((key) => ({ ...key, untilMs: key.untilMs ?? untilMs }))
        const keys = [{ pem, untilMs: null }, ...older.filter((key) => key.untilMs > clock.now())]
        await artifacts.put(tx, KIND, ID, written(keys))
      })
    },
  }
}

function parseStoredKeys(found: { readonly payload: unknown } | null): readonly StoredKey[] {
  return found !== null && Array.isArray(found.payload) ? (found.payload as readonly StoredKey[]) : [] // only written here
}

async function generatePem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a JWT with the first key, using RS256. @see RFC 7515 */
export function signJwt(ring: KeyRing, claims: Readonly<Record<string, unknown>>, typ: string): string {
  const [{ kid, privateKey }] = ring
  const text = `${encodeJson({ alg: 'RS256', typ, kid })}.${encodeJson(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

/**
 * Returns the claims of a JWT signed with RS256 by one of the keys, or `null`. Doesn't check whether it has expired.
 */
export function verifyJwt(ring: KeyRing, jwt: string): Readonly<Record<string, unknown>> | null {
  const [header = '', body = '', signature = '', ...more] = jwt.split('.')
  const { alg, kid } = decodeJwtPart(header) ?? {}
  const key = ring.find((one) => one.kid === kid)
  if (more.length > 0 || alg !== 'RS256' || key === undefined) return null
  const bytes = Buffer.from(`${header}.${body}`)
  if (!verify('sha256', bytes, key.publicKey, Buffer.from(signature, 'base64url'))) return null
  return decodeJwtPart(body)
}

function decodeJwtPart(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? value : null
  } catch {
    return null // not one of our tokens
  }
}
