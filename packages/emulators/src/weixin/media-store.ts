import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { makeToken, type MessageIds } from './message-ids.ts'

/** An announced upload, from `getuploadurl`. */
export interface Announced {
  readonly fileKey: string
  readonly key: Buffer
  readonly rawSize: number
  readonly rawMd5: string
  readonly cipherSize: number
}

/** Encrypts with AES-128-ECB. */
export const encrypt = (plain: Uint8Array, key: Uint8Array): Buffer => {
  const cipher = createCipheriv('aes-128-ecb', key, null)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

/** Decrypts, or returns `null` when the key is wrong. */
export function decrypt(bytes: Uint8Array, key: Uint8Array): Buffer | null {
  if (key.length !== 16) return null
  try {
    const decipher = createDecipheriv('aes-128-ecb', key, null)
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch {
    return null
  }
}

/** Returns the encrypted size of a file; the padding is 1 to 16 bytes. */
export const cipherSize = (rawSize: number): number => (Math.floor(rawSize / 16) + 1) * 16

/** Files of the CDN by their parameter. */
export class MediaStore {
  readonly #ids: MessageIds
  readonly #limit: number
  readonly #files = new Map<string, Buffer>()
  readonly #announced = new Map<string, Announced>()
  #bytes = 0

  /** @param limit Total size to keep, in bytes. */
  constructor(ids: MessageIds, limit: number) {
    this.#ids = ids
    this.#limit = limit
  }

  /** Announces an upload and returns its parameter. */
  announce(announced: Announced): string {
    const parameter = `${makeToken('upload', this.#ids.next())}+/=`
    this.#announced.set(parameter, announced)
    return parameter
  }

  /** Stores an upload. Returns the parameter of the file, or the reason for the refusal. */
  upload(
    parameter: string,
    fileKey: string,
    bytes: Buffer,
  ): { readonly parameter: string } | { readonly refused: string } {
    const announced = this.#announced.get(parameter)
    if (!announced) return { refused: 'invalid encrypted_query_param' }
    if (announced.fileKey !== fileKey) return { refused: 'filekey mismatch' }
    if (announced.cipherSize !== bytes.length) return { refused: 'filesize mismatch' }
    const plain = decrypt(bytes, announced.key)
    if (plain?.length !== announced.rawSize) return { refused: 'rawsize mismatch' }
    if (createHash('md5').update(plain).digest('hex') !== announced.rawMd5) return { refused: 'rawfilemd5 mismatch' }
    return { parameter: this.put(bytes) }
  }

  /** Stores a file and returns its parameter, which needs encoding in a URL. */
  put(bytes: Buffer): string {
    const parameter = `${makeToken('file', this.#ids.next())}+/=`
    this.#files.set(parameter, bytes)
    this.#bytes += bytes.length
    for (const [oldest, file] of this.#files) {
      if (this.#bytes <= this.#limit || oldest === parameter) break
      this.#files.delete(oldest)
      this.#bytes -= file.length
    }
    return parameter
  }

  /** Returns a file, or `null`. */
  get(parameter: string): Buffer | null {
    return this.#files.get(parameter) ?? null
  }
}
