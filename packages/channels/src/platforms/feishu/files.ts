import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef, OutboundFilePart, Outcome } from '../../message.ts'
import { dataOf, type FeishuClient } from './client.ts'
import { readMediaRef } from './decode-content.ts'
import { type FileForm, fileForm, type Written } from './encode.ts'
import { text } from './json.ts'
import { feishuLimits } from './limits.ts'
import { contentRejected, nothingShown } from './outcome.ts'
import type { Sending } from './send.ts'

const UPLOAD_MS = 30_000
const DOWNLOAD_MS = 120_000
/** An upload may take as long as a slow line (about 2 Mbit/s) needs, on top of `UPLOAD_MS`. */
const UPLOAD_BYTES_PER_MS = 250

/** Uploads a file, which shows nothing, and then shows it. */
export async function sendFile(
  client: FeishuClient,
  sending: Sending,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Outcome> {
  const file = await stat(part.path).catch(() => null)
  if (file === null || !file.isFile()) return contentRejected('the file to send is gone')
  const { file: maxBytes, image: maxImageBytes } = feishuLimits.fileBytes
  if (file.size === 0) return contentRejected('the file to send is empty')
  if (file.size > maxBytes) return contentRejected(`the file has ${file.size} bytes, Feishu takes ${maxBytes}`)
  const blob = await openAsBlob(part.path, { type: part.mime }).catch(() => null)
  if (blob === null) return contentRejected('the file to send cannot be read')
  const form = fileForm(part, file.size, maxImageBytes)
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
  const timeoutMs = UPLOAD_MS + Math.ceil(blob.size / UPLOAD_BYTES_PER_MS)
  const answer = await client.call({ method: 'POST', path, form: fields }, { signal, timeoutMs })
  if (!answer.ok) return nothingShown(answer.failure)
  const name = form.as === 'image' ? 'image_key' : 'file_key'
  const key = text(dataOf(answer.body)[name])
  if (key === undefined) return { status: 'refused', code: 'network', detail: 'the upload was not confirmed' }
  const written: Written = { msg_type: form.as, content: JSON.stringify({ [name]: key }) }
  return sending.show(part, written, signal)
}

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchFile(client: FeishuClient, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = feishuLimits.fileBytes.inbound
  const resource = readMediaRef(media.ref)
  if (resource === null) throw unavailable('this is no file of Feishu')
  const { messageId, type, key } = resource
  const path = `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`
  const got = await client.download(path, { type }, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  if (!got.ok && got.problem === 'too_large') {
    throw new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })
  }
  if (!got.ok) throw unavailable(got.detail)
  const mime = media.mime ?? got.mime
  const { name } = media
  return { bytes: got.bytes, ...(name === undefined ? {} : { name }), ...(mime === undefined ? {} : { mime }) }
}

const unavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}` })
