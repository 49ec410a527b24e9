import type { MediaRef } from '../../message.ts'
import { integer, type Json, list, object, text } from '../wire/json.ts'
import { idOf } from './snowflake.ts'

/** What is needed to fetch an attachment, also when its signed address has expired. */
export interface AttachmentRef {
  readonly channelId: string
  readonly messageId: string
  readonly attachmentId: string
  readonly url: string
}

const IS_VOICE = 1 << 13
const MOST_FILES = 10

/** The files of a message; what lacks an id or an address is left out. */
export function mediaOf(message: Json, channelId: string, messageId: string): readonly MediaRef[] {
  const isVoice = ((integer(message['flags']) ?? 0) & IS_VOICE) !== 0
  return attachmentsOf(message).map((attachment): MediaRef => {
    const { id, url, name, mime, sizeBytes } = attachment
    return {
      kind: isVoice ? 'voice' : kindOf(mime),
      ref: [channelId, messageId, id, url].join(' '),
      ...(name === undefined ? {} : { name }),
      ...(mime === undefined ? {} : { mime }),
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
    }
  })
}

/** One file as Discord describes it. */
export interface Attachment {
  readonly id: string
  readonly url: string
  readonly name?: string
  readonly mime?: string
  readonly sizeBytes?: number
}

export function attachmentsOf(message: Json): readonly Attachment[] {
  return list(message['attachments'])
    .slice(0, MOST_FILES)
    .flatMap((value): readonly Attachment[] => {
      const attachment = object(value)
      const id = idOf(attachment?.['id'])
      const url = text(attachment?.['url'])
      if (attachment === undefined || id === undefined || url === undefined || !/^\S{1,2048}$/.test(url)) return []
      const name = text(attachment['filename'])?.slice(0, 256)
      const mime = text(attachment['content_type'])?.slice(0, 128)
      const sizeBytes = integer(attachment['size'])
      return [
        {
          id,
          url,
          ...(name === undefined || name === '' ? {} : { name }),
          ...(mime === undefined || mime === '' ? {} : { mime }),
          ...(sizeBytes === undefined || sizeBytes < 0 ? {} : { sizeBytes }),
        },
      ]
    })
}

/** `null` for what `mediaOf` did not write. */
export function readRef(ref: string): AttachmentRef | null {
  const [, channelId, messageId, attachmentId, url] = /^(\d{1,20}) (\d{1,20}) (\d{1,20}) (\S+)$/.exec(ref) ?? []
  if (channelId === undefined || messageId === undefined || attachmentId === undefined || url === undefined) return null
  return { channelId, messageId, attachmentId, url }
}

/** When a signed address ends, milliseconds since the Unix epoch; `null`: it does not say. */
export function expiryOf(url: string): number | null {
  const seconds = Number.parseInt(URL.parse(url)?.searchParams.get('ex') ?? '', 16)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1_000 : null
}

function kindOf(mime: string | undefined): MediaRef['kind'] {
  const type = /^(image|audio|video)\//.exec(mime ?? '')?.[1]
  return type === 'image' || type === 'audio' || type === 'video' ? type : 'file'
}
