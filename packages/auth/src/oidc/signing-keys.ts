import type { Kernel } from '../kernel/kernel.ts'
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { rsaKeys } from '../kernel/crypto/rsa-keys.ts'
import { AuthError } from '../errors.ts'
import { type KeptKey, keptKeys } from './kept-keys.ts'

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

/** @throws {AuthError} `settings_invalid` for a setting that holds no RSA key of 2048 bits or more */
export function createSigningKeys(core: Pick<Kernel, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { privateKey } = core.settings.idpOidc
  return privateKey === '' ? sharedKeys(core) : givenKeys(privateKey)
}

function givenKeys(pem: string): SigningKeys {
  const keys = rsaKeys(pem)
  if (keys === null) {
    const message =
      'IDP_OIDC_PRIVATE_KEY must be the PEM of a private RSA key with at least 2048 bits. Only RSA keys can follow it.'
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

function sharedKeys(core: Pick<Kernel, 'settings' | 'artifacts' | 'database' | 'clock'>): SigningKeys {
  const { clock } = core
  const store = keptKeys(core)
  const parsed = new Map<string, SigningKey>()
  const keyOf = ({ pem }: KeptKey): SigningKey => {
    const known = parsed.get(pem)
    if (known !== undefined) return known
    const privateKey = createPrivateKey(pem)
    const key = named({ privateKey, publicKey: createPublicKey(privateKey) })
    parsed.set(pem, key)
    return key
  }
  const freshRing = async (): Promise<KeyRing> => ringOf((await store.load()).map(keyOf))
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

function ringOf(keys: readonly SigningKey[]): KeyRing {
  const [first, ...others] = keys
  if (first === undefined || first.privateKey === null) throw new Error('there is no key that signs')
  return [{ ...first, privateKey: first.privateKey }, ...others]
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
