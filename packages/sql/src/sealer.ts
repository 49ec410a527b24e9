import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The format of a kind of sealed text. Changing it makes stored texts unreadable. */
export interface SealingFormat {
  /** HKDF's `info` for the encryption keys. */
  readonly info: string
  /** Length of the random salt before the nonce, which gives every text its own key. With 0, all texts share a key. */
  readonly saltBytes: number
  /** `text_tag`: salt, nonce, ciphertext, tag. `tag_text`: salt, nonce, tag, ciphertext. */
  readonly order: 'text_tag' | 'tag_text'
  /** Returns a short ID that identifies a key without revealing anything about it. */
  keyId(secret: string): string
}

/** An encrypted text and the ID of its key, as stored. */
export interface SealedText {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Authenticated encryption of stored text: AES-256-GCM with several keys. */
export interface Sealer {
  /** The ID of the key that `seal` uses. */
  readonly keyId: string
  /** Returns whether one of the keys has this ID. */
  hasKey(keyId: string): boolean
  /** Encrypts with the first key. `context` identifies where the text is stored, and must be the same to open it. */
  seal(text: string, context: string): SealedText
  /** Returns the text, or `null` if no key has this ID, the bytes were changed, or `context` is different. */
  open(sealed: SealedText, context: string): string | null
}

/** Returns `bytes` bytes derived from a secret by HKDF-SHA-256. @see RFC 5869 */
export function deriveBytes(secret: string, salt: string | Uint8Array, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}

/**
 * Creates a sealer that encrypts with the first key and decrypts with all of them.
 * @param secrets Texts of at least 32 random characters, newest first.
 * @param random Returns random bytes. Default: Node's.
 * @see NIST SP 800-38D (GCM): random nonces under one key are safe for about 2^32 texts, hence `saltBytes`
 */
export function createSealer(
  format: SealingFormat,
  secrets: readonly [string, ...string[]],
  random: (bytes: number) => Uint8Array = randomBytes,
): Sealer {
  const { info, saltBytes, order } = format
  const [newest] = secrets
  const keyId = format.keyId(newest)
  const secretById = new Map(secrets.toReversed().map((secret) => [format.keyId(secret), secret]))
  const headBytes = saltBytes + NONCE_BYTES
  return {
    keyId,
    hasKey: (id) => secretById.has(id),
    seal(text, context) {
      const salt = random(saltBytes)
      const nonce = random(NONCE_BYTES)
      const key = deriveBytes(newest, salt, info, 32)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const tag = cipher.getAuthTag()
      const body = order === 'text_tag' ? [encrypted, tag] : [tag, encrypted]
      return { keyId, bytes: Buffer.concat([salt, nonce, ...body]) }
    },
    open(sealed, context) {
      const secret = secretById.get(sealed.keyId)
      const bytes = Buffer.from(sealed.bytes)
      if (secret === undefined || bytes.length < headBytes + TAG_BYTES) return null
      const key = deriveBytes(secret, bytes.subarray(0, saltBytes), info, 32)
      const nonce = bytes.subarray(saltBytes, headBytes)
      const body = bytes.subarray(headBytes)
      const [encrypted, tag] =
        order === 'text_tag'
          ? [body.subarray(0, -TAG_BYTES), body.subarray(-TAG_BYTES)]
          : [body.subarray(TAG_BYTES), body.subarray(0, TAG_BYTES)]
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      try {
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString()
      } catch {
        return null // the tag doesn't match; OpenSSL reports no details
      }
    },
  }
}
