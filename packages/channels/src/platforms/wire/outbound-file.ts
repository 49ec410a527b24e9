import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { OutboundFilePart, Refused } from '../../message.ts'

/** Sizes in bytes. */
export interface FileBounds {
  readonly most: number
  /** Default 0. */
  readonly least?: number
}

const BASE_MS = 30_000
/** What a slow line takes (about 2 Mbit/s). */
const UPLOAD_BYTES_PER_MS = 250

/** How long the upload of so many bytes may take, in milliseconds. */
export const uploadMs = (bytes: number): number => BASE_MS + Math.ceil(bytes / UPLOAD_BYTES_PER_MS)

/** The content of a file to be sent, or why it cannot be. */
export async function readOutbound(part: OutboundFilePart, bounds: FileBounds): Promise<Buffer<ArrayBuffer> | Refused> {
  const size = await sizeOf(part, bounds)
  if (typeof size !== 'number') return size
  const bytes = await readFile(part.path).catch(() => null)
  return bytes === null || bytes.length !== size ? UNREADABLE : bytes
}

/** A file to be sent, not yet read, or why it cannot be sent. */
export async function openOutbound(part: OutboundFilePart, bounds: FileBounds): Promise<Blob | Refused> {
  const size = await sizeOf(part, bounds)
  if (typeof size !== 'number') return size
  const blob = await openAsBlob(part.path, { type: part.mime }).catch(() => null)
  return blob === null || blob.size !== size ? UNREADABLE : blob
}

async function sizeOf({ path }: OutboundFilePart, { most, least = 0 }: FileBounds): Promise<number | Refused> {
  const file = await stat(path).catch(() => null)
  if (file === null || !file.isFile()) return contentRejected('the file to send is gone')
  const { size } = file
  if (size > most) return contentRejected(`the file has ${size} bytes, at most ${most} are taken`)
  if (size < least) return contentRejected(`the file has ${size} bytes, at least ${least} are taken`)
  return size
}

/** What cannot be sent, whenever it is tried. */
export const contentRejected = (detail: string): Refused => ({ status: 'refused', code: 'content_rejected', detail })

const UNREADABLE = contentRejected('the file to send cannot be read')
