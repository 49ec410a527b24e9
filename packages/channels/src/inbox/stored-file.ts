import { z } from 'zod'
import type { MediaRef } from '../message.ts'

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
