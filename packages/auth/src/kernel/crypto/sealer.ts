import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'
import type { Sealer } from './crypto.ts'

const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * `<key id>.<base64url of salt, nonce, sealed text, tag>`. Seals with the first key, opens with all. Every text has a key
 * of its own, derived by HKDF from the secret and a random salt: so many may be sealed that random nonces alone would
 * come round again.
 * @param secretKeys Any text, 32 random characters or more.
 * @see NIST SP 800-38D (GCM), RFC 5869 (HKDF)
 */
export function createSealer(secretKeys: readonly [string, ...string[]], random: RandomBytes = randomBytes): Sealer {
  const [first, ...others] = secretKeys
  const today = sealingKey(first)
  const keys = new Map([...others.toReversed().map(sealingKey), today].map((key) => [key.id, key]))
  return {
    seal(text, context) {
      const salt = random(SALT_BYTES)
      const iv = random(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', today.derive(salt), iv, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([salt, iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${today.id}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const [id = '', body = ''] = sealed.split('.', 2)
      const key = keys.get(id)
      const bytes = Buffer.from(body, 'base64url')
      if (!key || bytes.length < SALT_BYTES + IV_BYTES + TAG_BYTES) throw new AuthError('secret_unreadable')
      const ivEnd = SALT_BYTES + IV_BYTES
      const secret = key.derive(bytes.subarray(0, SALT_BYTES))
      const options = { authTagLength: TAG_BYTES }
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(SALT_BYTES, ivEnd), options)
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivEnd, -TAG_BYTES)), decipher.final()]).toString()
      } catch (cause) {
        throw new AuthError('secret_unreadable', { cause })
      }
    },
  }
}

interface SealingKey {
  /** Tells the keys apart and nothing about them. */
  readonly id: string
  derive(salt: Uint8Array): Buffer
}

function sealingKey(secret: string): SealingKey {
  const derived = (salt: string | Uint8Array, purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes))
  return {
    id: derived('', 'gatepost sealing key id', 6).toString('base64url'),
    derive: (salt) => derived(salt, 'gatepost sealing key', 32),
  }
}
