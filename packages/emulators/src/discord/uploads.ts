import { isRecord } from '../kit/body.ts'
import type { StoredAttachment } from './attachments.ts'
import { invalidForm, tooLarge } from './failure.ts'
import type { DiscordChannel } from './people.ts'
import type { RestCall } from './rest-call.ts'

const FILE_BYTES = 10 * 1024 * 1024
const REQUEST_BYTES = 25 * 1024 * 1024
const FILES = 10

/** Stores the files `files[n]` of a form, named as `attachments` of its `payload_json` says. @throws {DiscordFailure} */
export function attachmentsOf(
  { state, body, files }: RestCall,
  channel: DiscordChannel,
): readonly { readonly stored: StoredAttachment; readonly bytes: Uint8Array }[] {
  const sizes = files.map(({ bytes }) => bytes.length)
  if (sizes.some((size) => size > FILE_BYTES) || sizes.reduce((sum, size) => sum + size, 0) > REQUEST_BYTES)
    throw tooLarge()
  if (files.length > FILES) throw invalidForm('files', 'BASE_TYPE_MAX_LENGTH', `Must be ${FILES} or fewer in length.`)
  const listed = Array.isArray(body['attachments']) ? body['attachments'].filter(isRecord) : []
  return files.map(({ name, fileName, mimeType, bytes }) => {
    const number = /^files\[(\d+)\]$/.exec(name)?.[1]
    const named = listed.find(({ id }) => String(id) === number)?.['filename']
    const stored: StoredAttachment = {
      id: state.ids.next(),
      channelId: channel.id,
      name: typeof named === 'string' ? named : (fileName ?? 'file'),
      mimeType,
      size: bytes.length,
      kind: mimeType.startsWith('image/') ? 'image' : 'other',
    }
    state.attachments.put(stored, bytes)
    return { stored, bytes }
  })
}
