import type { MediaRef } from '../../message.ts'
import { filled, object, parseJson } from '../wire/json.ts'

/** Where a file of a message is, and what it is encrypted with. */
export interface MediaPlace {
  readonly url: string
  /** Base64 of 32 bytes; `null`: not encrypted. */
  readonly aesKey: string | null
}

const URL_MAX = 8_192
const KEY_MAX = 200

/** `null` when no address is named. */
export function mediaRef(kind: 'image' | 'file' | 'video', held: unknown): MediaRef | null {
  const url = filled(object(held)?.['url'])
  if (url === undefined || url.length > URL_MAX) return null
  const aesKey = filled(object(held)?.['aeskey'])?.slice(0, KEY_MAX) ?? null
  const place: MediaPlace = { url, aesKey }
  return { kind, ref: JSON.stringify(place) }
}

/** Reads what `mediaRef` wrote; `null` for anything else. */
export function readMediaPlace(ref: string): MediaPlace | null {
  const place = object(parseJson(ref))
  const url = filled(place?.['url'])
  return url === undefined ? null : { url, aesKey: filled(place?.['aesKey']) ?? null }
}
