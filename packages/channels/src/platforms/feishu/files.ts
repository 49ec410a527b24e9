import type { FetchedMedia, MediaRef, OutboundFilePart, Outcome } from '../../message.ts'
import { nothingShown } from '../wire/call.ts'
import { fetchedMedia, mediaUnavailable, mimeOf, requireFile, requireSize } from '../wire/download.ts'
import { filled } from '../wire/json.ts'
import { openOutbound, uploadMs } from '../wire/outbound-file.ts'
import { dataOf, type FeishuClient } from './client.ts'
import { readMediaRef } from './decode-content.ts'
import { type FileForm, fileForm, type Written } from './encode.ts'
import { feishuLimits } from './limits.ts'
import { outcomeOf } from './outcome.ts'
import type { Sending } from './send.ts'

const DOWNLOAD_MS = 120_000

/** Uploads a file, which shows nothing, and then shows it. */
export async function sendFile(
  client: FeishuClient,
  sending: Sending,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Outcome> {
  const { file: most, image: mostOfImage } = feishuLimits.fileBytes
  const blob = await openOutbound(part, { most, least: 1 })
  if (!(blob instanceof Blob)) return blob
  const form = fileForm(part, blob.size, mostOfImage)
  const outcome = await sendAs(form, client, sending, part, blob, signal)
  // refused as a picture (not decodable, too wide) or as speech
  const refusedAsSuch = outcome.status === 'refused' && outcome.code === 'content_rejected'
  if (!refusedAsSuch || form.as === 'file') return outcome
  return sendAs({ as: 'file', fileType: 'stream' }, client, sending, part, blob, signal)
}

async function sendAs(
  form: FileForm,
  client: FeishuClient,
  sending: Sending,
  part: OutboundFilePart,
  blob: Blob,
  signal: AbortSignal,
): Promise<Outcome> {
  const fields = new FormData()
  if (form.as === 'image') {
    fields.set('image_type', 'message')
    fields.set('image', blob, part.name)
  } else {
    fields.set('file_type', form.fileType)
    fields.set('file_name', part.name)
    fields.set('file', blob, part.name)
  }
  const path = `/open-apis/im/v1/${form.as === 'image' ? 'images' : 'files'}`
  const answer = await client.call({ method: 'POST', path, form: fields }, { signal, timeoutMs: uploadMs(blob.size) })
  if (!answer.ok) return nothingShown(outcomeOf(answer.failure))
  const name = form.as === 'image' ? 'image_key' : 'file_key'
  const key = filled(dataOf(answer.body)[name])
  if (key === undefined) return { status: 'refused', code: 'network', detail: 'the upload was not confirmed' }
  const written: Written = { msg_type: form.as, content: JSON.stringify({ [name]: key }) }
  return sending.show(part, written, signal)
}

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchFile(client: FeishuClient, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = feishuLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const resource = readMediaRef(media.ref)
  if (resource === null) throw mediaUnavailable('this is no file of Feishu')
  const { messageId, type, key } = resource
  const path = `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`
  const got = await client.download(path, { type }, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? mimeOf(headers) })
}
