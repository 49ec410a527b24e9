import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { createSealer as createByteSealer, deriveBytes, type SealingFormat } from '@gatepost/sql'
import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'

/** Signed values that may be shown: mail links, cookies. Made with the first secret key, checked with all. */
export interface Signer {
  /** base64url(JSON) `:` base62(seconds) `:` base64url(HMAC-SHA256), as in section 2.7 of the reference protocol. */
  sign(value: unknown, salt: string, nowMs: number): string
  /** `null`: not ours, changed, from the future by more than a minute, or older than `maxAgeSeconds`. */
  unsign(text: string, salt: string, limits: { readonly nowMs: number; readonly maxAgeSeconds: number }): unknown
  /** base64url(JSON) `:` base64url(HMAC-SHA256), for a value that has its own times in it. */
  signObject(value: unknown, salt: string): string
  /** `null`: not ours, or changed. */
  unsignObject(text: string, salt: string): unknown
  /** HMAC-SHA256 of `text`, keyed for `salt`, hex: fingerprints that cannot be computed outside. */
  fingerprint(text: string, salt: string): string
  /** The fingerprints by all keys, today's first: for one that is kept while keys change. */
  fingerprints(text: string, salt: string): readonly string[]
}

/** Authenticated encryption of what is kept: AES-256-GCM, key id in front, bound to `context` (its place). */
export interface Sealer {
  seal(text: string, context: string): string
  /** @throws {AuthError} `secret_unreadable` */
  open(sealed: string, context: string): string
}

/** How codes that people type look. */
export interface CodeFormat {
  readonly numeric: boolean
  readonly dashed: boolean
  readonly length: number
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CLOCK_SKEW_SECONDS = 60
/** Longer text is none that we have signed. */
const LONGEST = 20_000

/**
 * Signs with the first key, checks with all: a new key goes in front of the old ones, which stay as long as what they
 * have signed. The keys of HMAC are SHA-256 of salt and secret.
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

/** Salts are names in our code, so that there are few. */
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

/** Every text has its own key: so many may be sealed that random nonces under one key would repeat. */
const FORMAT: SealingFormat = {
  info: 'gatepost sealing key',
  saltBytes: 16,
  order: 'text_tag',
  keyId: (secret) => deriveBytes(secret, '', 'gatepost sealing key id', 6).toString('base64url'),
}

/**
 * Creates a sealer of texts that look like `<key id>.<base64url of salt, nonce, ciphertext, tag>`. Encrypts with the
 * first key, decrypts with all.
 * @param secretKeys Any text, 32 random characters or more.
 */
export function createSealer(secretKeys: readonly [string, ...string[]], random?: RandomBytes): Sealer {
  const sealer = createByteSealer(FORMAT, secretKeys, random)
  return {
    seal(text, context) {
      const { keyId, bytes } = sealer.seal(text, context)
      return `${keyId}.${Buffer.from(bytes).toString('base64url')}`
    },
    open(sealed, context) {
      const [keyId = '', body = ''] = sealed.split('.', 2)
      const text = sealer.open({ keyId, bytes: Buffer.from(body, 'base64url') }, context)
      if (text === null) throw new AuthError('secret_unreadable')
      return text
    },
  }
}

/** Whether two texts or two runs of bytes are the same; takes as long wherever they differ. Their length is no secret. */
export function equalsConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
