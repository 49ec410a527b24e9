import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { createSealer as createByteSealer, deriveBytes, type SealingFormat } from '@gatepost/sql'
import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'

/**
 * Signs values that aren't secret, such as cookies and keys in mail links. Signs with the first secret key and verifies
 * with all.
 */
export interface Signer {
  /** base64url(JSON) `:` base62(seconds) `:` base64url(HMAC-SHA256), as in section 2.7 of the reference protocol. */
  sign(value: unknown, salt: string, nowMs: number): string
  /**
   * Returns the value, or `null` if the signature is invalid, or the text is older than `maxAgeSeconds` or more than a
   * minute in the future.
   */
  unsign(text: string, salt: string, limits: { readonly nowMs: number; readonly maxAgeSeconds: number }): unknown
  /** base64url(JSON) `:` base64url(HMAC-SHA256), for a value that contains its own times. */
  signObject(value: unknown, salt: string): string
  /** Returns the value, or `null` if the signature is invalid. */
  unsignObject(text: string, salt: string): unknown
  /**
   * HMAC-SHA256 of `text` in hex, with a key for `salt`: a fingerprint that can't be computed without the secret key.
   */
  fingerprint(text: string, salt: string): string
  /** The fingerprints with all keys, current key first, to check a fingerprint that was stored before a key change. */
  fingerprints(text: string, salt: string): readonly string[]
}

/**
 * Authenticated encryption of stored data: AES-256-GCM, prefixed with a key ID, and bound to `context`, which
 * identifies where it's stored.
 */
export interface Sealer {
  seal(text: string, context: string): string
  /** @throws {AuthError} `secret_unreadable` */
  open(sealed: string, context: string): string
  /** Seals with the newest key, unless the text already is. @throws {AuthError} `secret_unreadable` */
  reseal(sealed: string, context: string): string
}

/** The format of codes that people type. */
export interface CodeFormat {
  readonly numeric: boolean
  readonly dashed: boolean
  readonly length: number
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CLOCK_SKEW_SECONDS = 60
/** The longest signed text accepted, in characters. */
const LONGEST = 20_000

/**
 * Creates a signer that signs with the first key and verifies with all. To change the key, put the new one first and
 * keep the old ones as long as the texts they signed. An HMAC key is the SHA-256 of the salt and the secret.
 * @param secretKeys Any text, 32 random characters or more.
 * @see RFC 2104 (HMAC), RFC 4648 section 5 (base64url)
 */
export function createSigner(secretKeys: readonly [string, ...string[]]): Signer {
  const [first, ...others] = secretKeys
  const today = deriveSigningKeys(first)
  const keys = [today, ...others.map(deriveSigningKeys)]
  const fingerprint = (key: KeyObject, text: string): string => createHmac('sha256', key).update(text).digest('hex')
  const signature = (key: KeyObject, message: string): string =>
    createHmac('sha256', key).update(message).digest('base64url')

  return {
    sign(value, salt, nowMs) {
      const json = Buffer.from(JSON.stringify(value)).toString('base64url')
      const message = `${json}:${toBase62(Math.floor(nowMs / 1000))}`
      return `${message}:${signature(today(`${salt}signer`), message)}`
    },
    unsign(text, salt, { nowMs, maxAgeSeconds }) {
      const parts = text.length > LONGEST ? null : /^([\w-]+):([0-9A-Za-z]{1,10}):([\w-]{43})$/.exec(text)
      if (!parts) return null
      const [, json = '', time = '', given = ''] = parts
      const message = `${json}:${time}`
      if (!keys.some((key) => equalsConstantTime(given, signature(key(`${salt}signer`), message)))) return null
      const age = nowMs / 1000 - fromBase62(time)
      if (age > maxAgeSeconds || age < -CLOCK_SKEW_SECONDS) return null
      const value: unknown = JSON.parse(Buffer.from(json, 'base64url').toString())
      return value
    },
    signObject(value, salt) {
      const json = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${json}:${signature(today(`${salt}signer`), json)}`
    },
    unsignObject(text, salt) {
      const parts = text.length > LONGEST ? null : /^([\w-]+):([\w-]{43})$/.exec(text)
      if (!parts) return null
      const [, json = '', given = ''] = parts
      if (!keys.some((key) => equalsConstantTime(given, signature(key(`${salt}signer`), json)))) return null
      const value: unknown = JSON.parse(Buffer.from(json, 'base64url').toString())
      return value
    },
    fingerprint: (text, salt) => fingerprint(today(salt), text),
    fingerprints: (text, salt) => keys.map((key) => fingerprint(key(salt), text)),
  }
}

type KeysOfSecret = (salt: string) => KeyObject

/** Derives and caches keys. Salts are constants in the code, so there are few. */
function deriveSigningKeys(secret: string): KeysOfSecret {
  const keys = new Map<string, KeyObject>()
  return (salt) => {
    const known = keys.get(salt)
    if (known) return known
    const key = createSecretKey(createHash('sha256').update(salt).update(secret).digest())
    keys.set(salt, key)
    return key
  }
}

function toBase62(number: number): string {
  let text = ''
  let rest = number
  do {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  } while (rest > 0)
  return text
}

const fromBase62 = (text: string): number =>
  Array.from(text).reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0)

/** Every text is sealed with its own key, because with a single key random nonces could repeat. */
const FORMAT: SealingFormat = {
  info: 'gatepost sealing key',
  saltBytes: 16,
  order: 'text_tag',
  keyId: (secret) => deriveBytes(secret, '', 'gatepost sealing key id', 6).toString('base64url'),
}

/**
 * Creates a sealer. The format is `<key id>.<base64url of salt, nonce, ciphertext, tag>`. Encrypts with the first key,
 * decrypts with any.
 * @param secretKeys Any text, 32 random characters or more.
 */
export function createSealer(secretKeys: readonly [string, ...string[]], random?: RandomBytes): Sealer {
  const sealer = createByteSealer(FORMAT, secretKeys, random)
  const seal: Sealer['seal'] = (text, context) => {
    const { keyId, bytes } = sealer.seal(text, context)
    return `${keyId}.${Buffer.from(bytes).toString('base64url')}`
  }
  const open: Sealer['open'] = (sealed, context) => {
    const [keyId = '', body = ''] = sealed.split('.', 2)
    const text = sealer.open({ keyId, bytes: Buffer.from(body, 'base64url') }, context)
    if (text === null) throw new AuthError('secret_unreadable')
    return text
  }
  return {
    seal,
    open,
    reseal: (sealed, context) =>
      sealed.startsWith(`${sealer.keyId}.`) ? sealed : seal(open(sealed, context), context),
  }
}

/** Returns the result of `open`, or `null` if what is stored can't be opened or isn't the JSON it should be. */
export function unlessUnreadable<R>(open: () => R): R | null {
  try {
    return open()
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof AuthError && error.code === 'secret_unreadable')) return null
    throw error
  }
}

/** Compares two texts or byte arrays in constant time. Doesn't hide whether the lengths differ. */
export function equalsConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
