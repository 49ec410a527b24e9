import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Connection } from '../connection.ts'
import { ChannelError } from '../errors.ts'
import type { MediaRef } from '../message.ts'
import type { Log } from '../platform-io.ts'

/** Returns the folder of one bot's files below the media folder; the parts of the key are sanitized. */
export const botMediaDir = (bot: string): string => path.join(...bot.split('/').map(safeName))

/** Leaves room for a number and a suffix within the 255 bytes of a file name. */
const MAX_NAME_BYTES = 200

/** What a name must not contain: path separators, line breaks, control characters, text direction marks, hidden tags. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu

/** Returns a file name that is safe to show and to put into a prompt: one line, no path, no hidden characters. */
export function cleanName(name: string): string {
  const cleaned = name
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  return cleaned === '' ? 'file' : cleaned
}

/** Returns a safe path segment: a clean name of limited length. */
export const safeName = (name: string): string => cleanName(lastBytes(name.toWellFormed().normalize('NFC')))

/** Returns the end of a long name, with its extension. */
function lastBytes(name: string): string {
  const bytes = Buffer.from(name)
  if (bytes.length <= MAX_NAME_BYTES) return name
  // a character cut in half decodes to U+FFFD
  return bytes
    .subarray(-MAX_NAME_BYTES)
    .toString()
    .replace(/^\uFFFD+/, '')
}

/** Where files go. */
export interface MediaStorage {
  readonly mediaDir: string
  readonly connection: Connection
  readonly log: Log
  /** Counts a file; false: the account has no room for it. */
  readonly hasRoom: (bytes: number) => Promise<boolean>
}

const STORAGE_FULL = "this account's storage for files is full"

/**
 * Downloads one file of a message and stores it with mode 0600 in the message's folder below `mediaDir`. When that fails,
 * the result contains the reason for the assistant and the operator.
 */
export async function storeMedia(
  media: MediaRef,
  index: number,
  folder: string,
  { mediaDir, connection, log, hasRoom }: MediaStorage,
  signal: AbortSignal,
): Promise<StoredFile> {
  const fetchMedia = connection.can.fetchMedia
  if (!fetchMedia) return { ...media, problem: "this platform doesn't support file downloads" }
  try {
    const fetched = await fetchMedia(media, signal)
    if (!(await hasRoom(fetched.bytes.byteLength))) return { ...media, problem: STORAGE_FULL }
    const name = safeName(fetched.name ?? media.name ?? media.kind)
    const relative = path.join(folder, `${index + 1}-${name}`)
    await writePrivate(path.join(mediaDir, relative), fetched.bytes)
    const mime = media.mime ?? fetched.mime
    return {
      ...media,
      name: media.name ?? name,
      sizeBytes: fetched.bytes.byteLength,
      path: relative,
      ...(mime === undefined ? {} : { mime }),
    }
  } catch (error) {
    if (signal.aborted) throw error
    log.warn("Couldn't download a file", { kind: media.kind, error })
    const problem = error instanceof ChannelError ? error.message : "couldn't download the file"
    return { ...media, problem }
  }
}

/** Writes a file with mode 0600 through a temporary file and a rename, so that it is always complete. */
export async function writePrivate(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.partial`
  try {
    await writeFile(partial, bytes, { mode: 0o600 })
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** A stored file of a message: downloaded (`path`), unavailable (`problem`), or neither yet. */
export interface StoredFile extends MediaRef {
  /** Relative to the media folder. */
  readonly path?: string | undefined
  readonly problem?: string | undefined
}

const storedFileSchema = z.array(
  z.object({
    kind: z.enum(['image', 'file', 'voice', 'audio', 'video', 'sticker']),
    ref: z.string(),
    name: z.string().optional(),
    mime: z.string().optional(),
    sizeBytes: z.number().optional(),
    path: z.string().optional(),
    problem: z.string().optional(),
  }),
)

/** Parses the stored files of a message. @throws {ZodError} when this version did not write the column. */
export function readStoredFiles(json: string): readonly StoredFile[] {
  // most messages have no file
  if (json === '[]') return []
  return storedFileSchema.parse(JSON.parse(json)).map(({ kind, ref, name, mime, sizeBytes, path, problem }) => ({
    kind,
    ref,
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    ...(path === undefined ? {} : { path }),
    ...(problem === undefined ? {} : { problem }),
  }))
}
