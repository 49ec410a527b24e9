import { createHash } from 'node:crypto'
import type { OutboundFilePart, Refused } from '../../message.ts'
import { filled } from '../wire/json.ts'
import { readOutbound } from '../wire/outbound-file.ts'
import { fileName, mediaTypeFor, type MediaType, MIN_MEDIA_BYTES, ownId } from './encode.ts'
import { wecomLimits } from './limits.ts'
import { type Answer, outcomeOf, type WecomFailure } from './outcome.ts'
import type { Talk } from './talk.ts'

/** Before base64. */
const CHUNK_BYTES = 512 * 1024
/** A piece may come twice, so one without an answer is sent again. */
const CHUNK_ATTEMPTS = 3

export type Uploaded = { readonly type: MediaType; readonly mediaId: string } | Refused

/** Brings a file to the platform in three steps. Nothing of it is shown, whatever becomes of them. */
export async function upload(talk: Talk, part: OutboundFilePart, signal: AbortSignal): Promise<Uploaded> {
  const bytes = await readOutbound(part, { most: wecomLimits.fileBytes.file, least: MIN_MEDIA_BYTES })
  if (!(bytes instanceof Uint8Array)) return bytes
  const type = mediaTypeFor(part.mime, bytes.length)
  const call = (step: string, at: string, body: Readonly<Record<string, unknown>>): Promise<Answer> =>
    talk.call(`aibot_upload_media_${step}`, ownId('push', part.deliveryId, `${step} ${at}`), body, signal)
  const begun = await call('init', '', {
    type,
    filename: fileName(part.name),
    total_size: bytes.length,
    total_chunks: Math.ceil(bytes.length / CHUNK_BYTES),
    md5: createHash('md5').update(bytes).digest('hex'),
  })
  if (!begun.ok) return notUploaded(begun.failure)
  const uploadId = filled(begun.body['upload_id'])
  if (uploadId === undefined) return notUnderstood()
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const chunk = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)
    const body = { upload_id: uploadId, chunk_index: index, base64_data: chunk.toString('base64') }
    const failure = await sendChunk((attempt) => call('chunk', `${index} ${attempt}`, body))
    if (failure !== null) return notUploaded(failure)
  }
  const done = await call('finish', '', { upload_id: uploadId })
  if (!done.ok) return notUploaded(done.failure)
  const mediaId = filled(done.body['media_id'])
  return mediaId === undefined ? notUnderstood() : { type, mediaId }
}

async function sendChunk(send: (attempt: number) => Promise<Answer>): Promise<WecomFailure | null> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(attempt)
    if (answer.ok) return null
    if (answer.failure.kind !== 'unanswered' || attempt === CHUNK_ATTEMPTS) return answer.failure
  }
}

/** Not knowing what became of an upload is harmless: it is made anew. */
function notUploaded(failure: WecomFailure): Refused {
  const outcome = outcomeOf(failure)
  if (outcome.status === 'refused') return outcome
  const detail = outcome.status === 'unknown' ? outcome.detail : ''
  return { status: 'refused', code: failure.kind === 'answer' ? 'content_rejected' : 'network', detail }
}

const notUnderstood = (): Refused => ({
  status: 'refused',
  code: 'network',
  detail: 'the platform took the file, but named no id for it',
})
