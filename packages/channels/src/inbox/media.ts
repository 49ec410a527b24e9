import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Connection } from '../connection.ts'
import { ChannelError } from '../errors.ts'
import type { MediaRef } from '../message.ts'
import type { Log } from '../platform-io.ts'

/** Folder of one bot's files below the media folder; the parts of `bot` come from platforms and are made safe. */
export const botMediaDir = (bot: string): string => path.join(...bot.split('/').map(safeName))

/** Leaves room for a number before the name and a suffix after it in the 255 bytes of a file name. */
const MAX_NAME_BYTES = 200

/** A name that is one harmless path segment everywhere: no separators, no leading dot, no control characters. */
export function safeName(name: string): string {
  const cleaned = lastBytes(name.toWellFormed().normalize('NFC'))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
    .replace(/[\u0000-\u001f\u007f/\\:*?"<>|]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  return cleaned === '' ? 'file' : cleaned
}

/** The end of the name, with its extension. */
function lastBytes(name: string): string {
  const bytes = Buffer.from(name)
  if (bytes.length <= MAX_NAME_BYTES) return name
  // what is left of a character cut in two reads as U+FFFD
  return bytes
    .subarray(-MAX_NAME_BYTES)
    .toString()
    .replace(/^\uFFFD+/, '')
}

/**
 * Fetches one file of a message and stores it 0600 below `mediaDir`, under the message's own folder.
 * A file that cannot be had is a result too: the assistant and the operator are told why.
 */
export async function storeMedia(
  media: MediaRef,
  index: number,
  folder: string,
  mediaDir: string,
  connection: Connection,
  log: Log,
  signal: AbortSignal,
): Promise<StoredFile> {
  const fetchMedia = connection.can.fetchMedia
  if (!fetchMedia) return { ...media, problem: 'this platform does not hand over files' }
  try {
    const fetched = await fetchMedia(media, signal)
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
    log.warn('A file could not be fetched', { kind: media.kind, error })
    const problem = error instanceof ChannelError ? error.message : 'the file could not be fetched'
    return { ...media, problem }
  }
}

/** Writes beside and renames, so that a file under its name is always whole. */
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

/** A file of a message as stored with it: fetched (`path`), not to be had (`problem`), or neither yet. */
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

/** @throws {ZodError} when the column does not hold what this version wrote. */
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
