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
import type { Core } from '../../core.ts'
import { rsaKeys } from '../../crypto/rsa-keys.ts'
import { AuthError } from '../../errors.ts'
import { lockName } from '../../schema/in-transaction.sql.ts'
import { isRecord } from '../../settings/kind.ts'

const KIND = 'oidc-keys'
const ID = 'signing'
const BITS = 2048
const FOREVER_MS = 100 * 365 * 86_400_000
/** How long other processes may sign with the key before, and how long answers with the keys are kept outside. */
const MARGIN_MS = 3_600_000
/** How often a process looks whether another one has made a new key. */
const REFRESH_MS = 60_000

/** A key that signs tokens of ours, or did. */
export interface SigningKey {
  /** Thumbprint of RFC 7638. */
  readonly kid: string
  /** `null`: it only checks what it signed before. */
  readonly privateKey: KeyObject | null
  readonly publicKey: KeyObject
}

/** The first one signs; all are published. */
export type KeyRing = readonly [SigningKey & { readonly privateKey: KeyObject }, ...SigningKey[]]

/** The keys of our OpenID Connect provider: those of the setting, or ones that all processes share by the database. */
export interface SigningKeys {
  /** Up to a minute old. */
  ring(): Promise<KeyRing>
  /** As they are now. */
  freshRing(): Promise<KeyRing>
  /** @throws {AuthError} `permission_denied` where the setting says which keys there are */
  rotate(): Promise<void>
}

/** One key of the database: PEM, and until when it is published. */
interface KeptKey {
  readonly pem: string
  /** `null`: it signs. */
  readonly untilMs: number | null
}

/** @throws {AuthError} `settings_invalid` for a setting that holds no RSA key of 2048 bits or more */
export function createSigningKeys(core: Pick<Core, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { privateKey } = core.settings.idpOidc
  return privateKey === '' ? sharedKeys(core) : givenKeys(privateKey)
}

function givenKeys(pem: string): SigningKeys {
  const keys = rsaKeys(pem)
  if (keys === null) {
    const message =
      'IDP_OIDC_PRIVATE_KEY must be the PEM of a private RSA key of 2048 bits or more; only RSA keys may follow it.'
    throw new AuthError('settings_invalid', { message })
  }
  const [first, ...others] = keys
  const ring: KeyRing = [named(first), ...others.map(named)]
  return {
    ring: () => Promise.resolve(ring),
    freshRing: () => Promise.resolve(ring),
    rotate: () => Promise.reject(new AuthError('permission_denied')),
  }
}

function sharedKeys(core: Pick<Core, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { artifacts, clock, database } = core
  const parsed = new Map<string, SigningKey>()
  const keyOf = ({ pem }: KeptKey): SigningKey => {
    const known = parsed.get(pem)
    if (known !== undefined) return known
    const privateKey = createPrivateKey(pem)
    const key = named({ privateKey, publicKey: createPublicKey(privateKey) })
    parsed.set(pem, key)
    return key
  }
  const kept = async (): Promise<readonly KeptKey[]> => keptOf(await artifacts.get(database.db, KIND, ID, clock.now()))
  const write = (keys: readonly KeptKey[]) => ({ payload: keys, expiresAtMs: clock.now() + FOREVER_MS })
  const load = async (): Promise<readonly KeptKey[]> => {
    const before = await kept()
    if (before.length > 0) return before
    const made: readonly KeptKey[] = [{ pem: await newPem(), untilMs: null }]
    if (await artifacts.add(database.db, KIND, ID, write(made), clock.now())) return made
    const others = await kept()
    if (others.length > 0) return others
    // It is there, and its seal cannot be opened any more: the secret key of the site is another one.
    await artifacts.put(database.db, KIND, ID, write(made))
    return made
  }
  let cached: { readonly ring: Promise<KeyRing>; readonly untilMs: number } | null = null
  const freshRing = async (): Promise<KeyRing> => {
    const keys = (await load()).filter(({ untilMs }) => untilMs === null || untilMs > clock.now())
    return ringOf(keys.map(keyOf))
  }
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
      await load()
      const pem = await newPem()
      const { accessTokenExpiresIn, idTokenExpiresIn } = core.settings.idpOidc
      const untilMs = clock.now() + Math.max(accessTokenExpiresIn, idTokenExpiresIn) * 1_000 + MARGIN_MS
      await database.transaction(async (tx) => {
        await lockName(database, tx, KIND)
        const before = keptOf(await artifacts.get(tx, KIND, ID, clock.now()))
        const older = before.map((key) => ({ ...key, untilMs: key.untilMs ?? untilMs }))
        const keys = [{ pem, untilMs: null }, ...older.filter((key) => key.untilMs > clock.now())]
        await artifacts.put(tx, KIND, ID, write(keys))
      })
      await remember()
    },
  }
}

function keptOf(found: { readonly payload: unknown } | null): readonly KeptKey[] {
  return found !== null && Array.isArray(found.payload) ? (found.payload as readonly KeptKey[]) : [] // written here alone
}

function ringOf(keys: readonly SigningKey[]): KeyRing {
  const [first, ...others] = keys
  if (first === undefined || first.privateKey === null) throw new Error('there is no key that signs')
  return [{ ...first, privateKey: first.privateKey }, ...others]
}

async function newPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function named<K extends Omit<SigningKey, 'kid'>>(key: K): K & { readonly kid: string } {
  const { e, kty, n } = key.publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
  return { ...key, kid }
}

/** What is published of the keys. @see RFC 7517 */
export const publicJwks = (ring: KeyRing): { readonly keys: readonly object[] } => ({
  keys: ring.map(({ kid, publicKey }) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'RS256',
    use: 'sig',
    key_ops: ['verify'],
  })),
})

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT signed with RS256 by the first key. @see RFC 7515 */
export function signedJwt(ring: KeyRing, claims: Readonly<Record<string, unknown>>, typ: string): string {
  const [{ kid, privateKey }] = ring
  const text = `${encoded({ alg: 'RS256', typ, kid })}.${encoded(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

/** The claims of a JWT that one of the keys signed with RS256, whenever it was; `null` for anything else. */
export function verifiedClaims(ring: KeyRing, jwt: string): Readonly<Record<string, unknown>> | null {
  const [header = '', body = '', signature = '', ...more] = jwt.split('.')
  const { alg, kid } = jsonOf(header) ?? {}
  const key = ring.find((one) => one.kid === kid)
  if (more.length > 0 || alg !== 'RS256' || key === undefined) return null
  const bytes = Buffer.from(`${header}.${body}`)
  if (!verify('sha256', bytes, key.publicKey, Buffer.from(signature, 'base64url'))) return null
  return jsonOf(body)
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? value : null
  } catch {
    return null // whatever it is, it is no token of ours
  }
}
