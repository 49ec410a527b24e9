import type { Connection } from '../../connection.ts'
import type { FetchedMedia, MediaRef, OutboundFilePart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { asNotShown } from '../wire/call.ts'
import { fetchedMedia, mediaUnavailable, readMimeType, requireFile, requireSize } from '../wire/download.ts'
import { filled } from '../wire/json.ts'
import { createRecentMap } from '../wire/bounded-map.ts'
import { openOutboundFile, getUploadTimeoutMs } from '../wire/outbound-file.ts'
import { readData, type FeishuClient, openClient } from './client.ts'
import type { FeishuCredentials } from './credentials.ts'
import { readMediaRef } from './decode-content.ts'
import { fileForm, type FileForm, type Written } from './encode.ts'
import { feishuLimits } from './limits.ts'
import { toOutcome, describeFailure } from './outcome.ts'
import { receive } from './receive.ts'
import { openSending, type Sending } from './send.ts'

/** Creates a connection. The first request is made by `run` or `send`. */
export function connectFeishu(credentials: FeishuCredentials, io: PlatformIo): Connection {
  const client = openClient(credentials, io)
  const sending = openSending(client, io)
  const sign = createTypingSign(client, io)
  return {
    run: (inbox, signal) => receive({ credentials, client, io, inbox }, signal),
    send: (part, signal) =>
      part.kind === 'text' ? sending.text(part, signal) : sendFile(client, sending, part, signal),
    can: {
      edit: (part, messageId, signal) => sending.edit(part, messageId, signal),
      resend: (part, triedAtMs) => sending.resend(part, triedAtMs),
      async typing(_chat, signal, messageId) {
        if (messageId !== undefined) await sign.show(messageId, signal)
      },
      async typingDone(_chat, signal, messageId) {
        if (messageId !== undefined) await sign.remove(messageId, signal)
      },
      fetchMedia: (media, signal) => fetchFile(client, media, signal),
    },
  }
}

const TYPING_MS = 10_000

/** The typing indicator: a reaction on the message that is being answered, as there is no real one. */
interface TypingSign {
  show(messageId: string, signal: AbortSignal): Promise<void>
  remove(messageId: string, signal: AbortSignal): Promise<void>
}

function createTypingSign(client: FeishuClient, io: PlatformIo): TypingSign {
  /** Ids of reactions by message; a reaction on its way is waited for before it is taken away. */
  const shown = createRecentMap<Promise<string | null>>(1_000)
  const toReactionsPath = (messageId: string): string =>
    `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/reactions`

  async function react(messageId: string, signal: AbortSignal): Promise<string | null> {
    const body = { reaction_type: { emoji_type: 'Typing' } }
    const answer = await client.call(
      { method: 'POST', path: toReactionsPath(messageId), body },
      { signal, timeoutMs: TYPING_MS },
    )
    if (answer.ok) return filled(readData(answer.body)['reaction_id']) ?? null
    io.log.debug("Couldn't show the Feishu typing reaction", { why: describeFailure(answer.failure) })
    return null
  }

  return {
    async show(messageId, signal) {
      const reaction = shown.get(messageId) ?? react(messageId, signal)
      shown.set(messageId, reaction)
      await reaction
    },
    async remove(messageId, signal) {
      const reactionId = await shown.get(messageId)
      shown.delete(messageId)
      if (reactionId === undefined || reactionId === null) return
      const path = `${toReactionsPath(messageId)}/${encodeURIComponent(reactionId)}`
      const answer = await client.call({ method: 'DELETE', path }, { signal, timeoutMs: TYPING_MS })
      if (!answer.ok)
        io.log.debug("Couldn't remove the Feishu typing reaction", { why: describeFailure(answer.failure) })
    },
  }
}

const DOWNLOAD_MS = 120_000

/** Uploads a file, which shows nothing, and then shows it. */
async function sendFile(
  client: FeishuClient,
  sending: Sending,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Outcome> {
  const { file: maxBytes, image: maxImageBytes } = feishuLimits.fileBytes
  const blob = await openOutboundFile(part, { maxBytes, minBytes: 1 })
  if (!(blob instanceof Blob)) return blob
  const form = fileForm(part, blob.size, maxImageBytes)
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
  const answer = await client.call(
    { method: 'POST', path, form: fields },
    { signal, timeoutMs: getUploadTimeoutMs(blob.size) },
  )
  if (!answer.ok) return asNotShown(toOutcome(answer.failure))
  const name = form.as === 'image' ? 'image_key' : 'file_key'
  const key = filled(readData(answer.body)[name])
  if (key === undefined) return { status: 'refused', code: 'network', detail: "the upload wasn't confirmed" }
  const written: Written = { msg_type: form.as, content: JSON.stringify({ [name]: key }) }
  return sending.show(part, written, signal)
}

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
async function fetchFile(client: FeishuClient, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = feishuLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const resource = readMediaRef(media.ref)
  if (resource === null) throw mediaUnavailable("it isn't a Feishu file")
  const { messageId, type, key } = resource
  const path = `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`
  const got = await client.download(path, { type }, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? readMimeType(headers) })
}
