import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { equalsConstantTime } from './constant-time.ts'
import type { Signer } from './crypto.ts'

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
