import { createCipheriv, createHash } from 'node:crypto'
import type { SaidFile } from '../kit/control.ts'
import type { WecomState } from './state.ts'

const KIND_NAMES = { image: 'image.jpg', file: 'file.bin', voice: 'voice.amr', video: 'video.mp4' } as const

/** Where a file of a person is, and the key that opens it. */
export interface DownloadLink {
  readonly url: string
  readonly aeskey: string
}

/** @throws {RangeError} for content that is no base64 */
export function readFile({ base64, name, kind }: SaidFile): { readonly name: string; readonly bytes: Buffer } {
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new RangeError('The content of a file is base64')
  }
  return { name: name ?? KIND_NAMES[kind], bytes: Buffer.from(base64, 'base64') }
}

/** Offers a file for download, encrypted by a key of its own. */
export function offer(state: WecomState, url: string, name: string, bytes: Uint8Array): DownloadLink {
  const id = state.nextId('D')
  const aesKey = createHash('sha256').update(`wecom file ${id}`).digest()
  const untilMs = state.clock.now() + state.times.downloadLifeMs
  state.downloads.put(id, { name, mimeType: 'application/octet-stream', bytes, untilMs, aesKey })
  const key = aesKey.toString('base64')
  // the platform gives it with and without its padding
  return { url: `${url}/media/${id}`, aeskey: Number(id.slice(1)) % 2 === 0 ? key : key.replaceAll('=', '') }
}

/** AES-256-CBC, IV of the first 16 bytes of the key, PKCS#7 to multiples of 32 bytes. */
export function encrypt(bytes: Uint8Array, aesKey: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', aesKey, aesKey.subarray(0, 16)).setAutoPadding(false)
  const padding = 32 - (bytes.length % 32)
  return Buffer.concat([cipher.update(bytes), cipher.update(Buffer.alloc(padding, padding)), cipher.final()])
}
