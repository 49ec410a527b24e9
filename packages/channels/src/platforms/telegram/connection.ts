import type { PlatformIo } from '../../platform-io.ts'
import type { FetchedMedia, MediaRef, Outcome, OutboundFilePart, OutboundTextPart } from '../../message.ts'
import type { Connection } from '../../connection.ts'
import { openClient, type TelegramClient } from './client.ts'
import { type TelegramCredentials, telegramBaseUrl } from './credentials.ts'
import {
  draftBody,
  editMessageBody,
  fileForm,
  type FileMethod,
  fileMethodFor,
  sendMessageBody,
  typingBody,
} from './encode.ts'
import { isNotModified, createSeenIds, telegramFindSent } from './find-sent.ts'
import {
  fetchedMedia,
  mediaTooLarge,
  mediaUnavailable,
  readMimeType,
  requireFile,
  requireSize,
} from '../wire/download.ts'
import { integer, object, text } from '../wire/json.ts'
import { openOutboundFile, getUploadTimeoutMs } from '../wire/outbound-file.ts'
import { telegramLimits } from './limits.ts'
import { type Answer, toOutcome, describeFailure } from './outcome.ts'
import { poll } from './poll.ts'

const SEND_MS = 30_000
const TYPING_MS = 10_000
const DOWNLOAD_MS = 120_000

/** Creates a connection. The first request is made by `run` or `send`. */
export function connectTelegram(credentials: TelegramCredentials, io: PlatformIo): Connection {
  const client = openClient(credentials.bot_token, telegramBaseUrl(credentials, io), io)
  const seen = createSeenIds()
  const edit = (part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Answer> => {
    const body = editMessageBody(part, messageId)
    if (body === null) return Promise.resolve(toLocalRefusal('message to edit not found'))
    return client.call((api, s) => api.editMessageText(body, s), { signal, timeoutMs: SEND_MS })
  }
  const findSent = telegramFindSent(seen, io.clock.now)
  let draftsWork = true

  return {
    run: (inbox, signal) => poll(client, seen, io, inbox, signal),
    async send(part, signal) {
      const beganAtMs = io.clock.now()
      const outcome = part.kind === 'text' ? await sendText(client, part, signal) : await sendFile(client, part, signal)
      if (outcome.status === 'delivered') seen.see(part.chat.id, Number(outcome.messageId), beganAtMs)
      if (outcome.status === 'unknown') findSent.ended(part.deliveryId)
      return outcome
    },
    can: {
      async edit(part, messageId, signal) {
        const answer = await edit(part, messageId, signal)
        return answer.ok || isNotModified(answer.failure)
          ? { status: 'delivered', messageId }
          : toOutcome(answer.failure)
      },
      async draft(part, signal) {
        const body = draftsWork ? draftBody(part) : null
        if (body === null) return NO_DRAFTS
        const answer = await client.call((api, s) => api.sendMessageDraft(body, s), { signal, timeoutMs: SEND_MS })
        if (answer.ok) return { status: 'delivered', messageId: String(body.draft_id) }
        // An older server does not know the method; a malformed token cannot have come this far.
        if (answer.failure.kind !== 'answer' || answer.failure.status !== 404) return toOutcome(answer.failure)
        draftsWork = false
        return NO_DRAFTS
      },
      draftFor: (chat) => draftsWork && chat.kind === 'direct',
      async typing(chat, signal) {
        const limits = { signal, timeoutMs: TYPING_MS }
        const answer = await client.call((api, s) => api.sendChatAction(typingBody(chat), s), limits)
        if (!answer.ok)
          io.log.debug("Couldn't show the Telegram typing indicator", { why: describeFailure(answer.failure) })
      },
      fetchMedia: (media, signal) => fetchMedia(client, media, signal),
      findSent,
    },
  }
}

const NO_DRAFTS: Outcome = {
  status: 'refused',
  code: 'configuration',
  detail: "this server doesn't support drafts here",
}

const toLocalRefusal = (description: string): Answer => ({
  ok: false,
  failure: { kind: 'answer', status: 400, description },
})

async function sendText(client: TelegramClient, part: OutboundTextPart, signal: AbortSignal): Promise<Outcome> {
  const body = sendMessageBody(part)
  return toSendOutcome(await client.call((api, s) => api.sendMessage(body, s), { signal, timeoutMs: SEND_MS }))
}

/** An answer to a send. Without the id of a message it says nothing about one. */
function toSendOutcome(answer: Answer): Outcome {
  if (!answer.ok) return toOutcome(answer.failure)
  const id = integer(object(answer.result)?.['message_id'])
  if (id === undefined || id <= 0) return { status: 'unknown', detail: 'the response has no message id' }
  return { status: 'delivered', messageId: String(id) }
}

async function sendFile(client: TelegramClient, part: OutboundFilePart, signal: AbortSignal): Promise<Outcome> {
  const { file: maxBytes, image: maxPhotoBytes } = telegramLimits.fileBytes
  const file = await openOutboundFile(part, { maxBytes })
  if (!(file instanceof Blob)) return file
  const limits = { signal, timeoutMs: getUploadTimeoutMs(file.size) }
  const upload = async (method: FileMethod): Promise<Outcome> =>
    toSendOutcome(await client.upload(method, fileForm(part, method, file), limits))
  const method = fileMethodFor(part.mime, file.size, maxPhotoBytes)
  const outcome = await upload(method)
  // Refused as a picture (too wide, not decodable) or as a voice message (the person does not take any).
  const refusedAsSuch = outcome.status === 'refused' && /PHOTO|IMAGE_PROCESS|VOICE|wrong type/i.test(outcome.detail)
  return refusedAsSuch && method !== 'sendDocument' ? upload('sendDocument') : outcome
}

async function fetchMedia(client: TelegramClient, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = telegramLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const answer = await client.call((api, s) => api.getFile({ file_id: media.ref }, s), { signal, timeoutMs: SEND_MS })
  if (!answer.ok) {
    if (/file is too big/i.test(describeFailure(answer.failure))) throw mediaTooLarge(maxBytes)
    throw mediaUnavailable(describeFailure(answer.failure))
  }
  const path = text(object(answer.result)?.['file_path'])
  if (path === undefined) throw mediaUnavailable('Telegram returned no file path')
  if (/^(?:\/|[a-z]:|\\)/i.test(path)) {
    throw mediaUnavailable(
      'the Bot API server runs with --local and keeps files on its own disk. Run it without --local',
    )
  }
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw mediaUnavailable('Telegram returned an invalid file path')
  }
  const got = await client.download(path, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name ?? path.split('/').at(-1), mime: media.mime ?? readMimeType(headers) })
}
