import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { OutboundFilePart, Refused } from '../../message.ts'

/** Sizes in bytes. */
export interface FileBounds {
  readonly maxBytes: number
  /** Default 0. */
  readonly minBytes?: number
}

const BASE_MS = 30_000
/** Rate of a slow connection (about 2 Mbit/s). */
const UPLOAD_BYTES_PER_MS = 250

/** Returns the timeout for an upload of this size, in milliseconds. */
export const getUploadTimeoutMs = (bytes: number): number => BASE_MS + Math.ceil(bytes / UPLOAD_BYTES_PER_MS)

/** Reads a file to send, or returns why it cannot be sent. */
export async function readOutboundFile(
  part: OutboundFilePart,
  bounds: FileBounds,
): Promise<Buffer<ArrayBuffer> | Refused> {
  const size = await checkFileSize(part, bounds)
  if (typeof size !== 'number') return size
  const bytes = await readFile(part.path).catch(() => null)
  return bytes === null || bytes.length !== size ? UNREADABLE : bytes
}

/** Opens a file to send without reading it, or returns why it cannot be sent. */
export async function openOutboundFile(part: OutboundFilePart, bounds: FileBounds): Promise<Blob | Refused> {
  const size = await checkFileSize(part, bounds)
  if (typeof size !== 'number') return size
  const blob = await openAsBlob(part.path, { type: part.mime }).catch(() => null)
  return blob === null || blob.size !== size ? UNREADABLE : blob
}

async function checkFileSize(
  { path }: OutboundFilePart,
  { maxBytes, minBytes = 0 }: FileBounds,
): Promise<number | Refused> {
  const file = await stat(path).catch(() => null)
  if (file === null || !file.isFile()) return contentRejected('the file to send no longer exists')
  const { size } = file
  if (size > maxBytes) return contentRejected(`the file is ${formatBytes(size)}; the limit is ${formatBytes(maxBytes)}`)
  if (size < minBytes)
    return contentRejected(`the file is ${formatBytes(size)}; the minimum is ${formatBytes(minBytes)}`)
  return size
}

const formatBytes = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`

/** Returns the refusal of content that will never be accepted. */
export const contentRejected = (detail: string): Refused => ({ status: 'refused', code: 'content_rejected', detail })

const UNREADABLE = contentRejected("couldn't read the file to send")
