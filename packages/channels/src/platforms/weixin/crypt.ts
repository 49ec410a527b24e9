import { createCipheriv, createDecipheriv } from 'node:crypto'

const ALGORITHM = 'aes-128-ecb'
const HEX_KEY = /^[\da-f]{32}$/i
/** One more block than the content, at most: PKCS#7 always pads. */
export const PADDING_BYTES = 16

/** @param key 32 hexadecimal digits. */
export function seal(plain: Uint8Array, key: string): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv(ALGORITHM, Buffer.from(key, 'hex'), null)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

/** `null`: these bytes were not encrypted with this key. @param key 32 hexadecimal digits. */
export function unseal(bytes: Uint8Array, key: string): Uint8Array | null {
  const decipher = createDecipheriv(ALGORITHM, Buffer.from(key, 'hex'), null)
  try {
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch {
    return null // wrong length or padding
  }
}

/**
 * The key of a file of a message, 32 hexadecimal digits; `null`: it is not encrypted, `undefined`: the key is none.
 * @param hex    `aeskey` of a picture, which counts before the other.
 * @param base64 `aes_key` of any file: of the 16 bytes themselves, or of their hexadecimal text.
 */
export function readKey(hex: string | undefined, base64: string | undefined): string | null | undefined {
  if (hex !== undefined && HEX_KEY.test(hex)) return hex
  if (base64 === undefined) return hex === undefined ? null : undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 16) return bytes.toString('hex')
  const inner = bytes.toString('latin1')
  return HEX_KEY.test(inner) ? inner : undefined
}
