import type { MediaRef } from '../../message.ts'
import { filled, isObject, type Json, object, parseJson } from '../wire/json.ts'
import { integer } from './numbers.ts'

/** Where a file lies and what it was encrypted with: what `MediaRef.ref` holds, as JSON. */
export interface MediaPlace {
  readonly url?: string
  readonly param?: string
  readonly hexKey?: string
  readonly base64Key?: string
}

const MOST_CHARACTERS = 8_192

/** What `placeOf` wrote; `null` for anything else. */
export function readPlace(ref: string): MediaPlace | null {
  const value = parseJson(ref)
  if (!isObject(value)) return null
  return dropMissing({
    url: filled(value['url']),
    param: filled(value['param']),
    hexKey: filled(value['hexKey']),
    base64Key: filled(value['base64Key']),
  })
}

type Possible = { readonly [K in keyof MediaPlace]: string | undefined }

/** `null` when it lies nowhere. */
function dropMissing({ url, param, hexKey, base64Key }: Possible): MediaPlace | null {
  if (url === undefined && param === undefined) return null
  return {
    ...(url === undefined ? {} : { url }),
    ...(param === undefined ? {} : { param }),
    ...(hexKey === undefined ? {} : { hexKey }),
    ...(base64Key === undefined ? {} : { base64Key }),
  }
}

const short = (value: unknown): string | undefined => {
  const words = filled(value)
  return words !== undefined && words.length <= MOST_CHARACTERS ? words : undefined
}

function placeOf(media: Json | undefined, hexKey: string | undefined): string | undefined {
  const place = dropMissing({
    url: short(media?.['full_url']),
    param: short(media?.['encrypt_query_param']),
    hexKey,
    base64Key: short(media?.['aes_key']),
  })
  return place === null ? undefined : JSON.stringify(place)
}

/** Types of voice messages by `encode_type`. */
const VOICES: ReadonlyMap<number, readonly [mime: string, name: string]> = new Map([
  [5, ['audio/amr', 'voice.amr']],
  [6, ['audio/silk', 'voice.silk']],
  [7, ['audio/mpeg', 'voice.mp3']],
])

/** The file of one item of a message; `undefined` when it has none that could be fetched. */
export function mediaOf(item: Json): MediaRef | undefined {
  const image = object(item['image_item'])
  if (image !== undefined) return refOf('image', image, { hexKey: short(image['aeskey']) })
  const voice = object(item['voice_item'])
  if (voice !== undefined) {
    const [mime, name] = VOICES.get(integer(voice['encode_type']) ?? 0) ?? ['application/octet-stream', 'voice']
    return refOf('voice', voice, { mime, name })
  }
  const file = object(item['file_item'])
  if (file !== undefined) {
    return refOf('file', file, { name: filled(file['file_name'])?.slice(0, 256), sizeBytes: integer(file['len']) })
  }
  const video = object(item['video_item'])
  if (video !== undefined) {
    return refOf('video', video, {
      mime: 'video/mp4',
      name: 'video.mp4',
      sizeBytes: integer(video['video_size']),
    })
  }
  return undefined
}

interface Known {
  readonly hexKey?: string | undefined
  readonly name?: string | undefined
  readonly mime?: string | undefined
  readonly sizeBytes?: number | undefined
}

function refOf(kind: MediaRef['kind'], content: Json, known: Known): MediaRef | undefined {
  const { hexKey, name, mime, sizeBytes } = known
  const ref = placeOf(object(content['media']), hexKey)
  if (ref === undefined) return undefined
  return {
    kind,
    ref,
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(sizeBytes === undefined || sizeBytes <= 0 ? {} : { sizeBytes }),
  }
}
