import type { Chat, OutboundFilePart, OutboundTextPart } from '../../message.ts'

interface InChat {
  chat_id: number | string
}
interface InThread {
  message_thread_id?: number
}
interface InReply {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true }
}
interface Written {
  text: string
  /** Absent: plain text. */
  parse_mode?: 'HTML'
}
interface Unpreviewed {
  link_preview_options: { is_disabled: true }
}
/** Body of `sendMessage`. */
export type SendMessageBody = InChat & InThread & InReply & Written & Unpreviewed
/** Body of `editMessageText`. */
export type EditMessageBody = InChat & Written & Unpreviewed & { message_id: number }
/** Body of `sendMessageDraft`. */
export type DraftBody = Written & InThread & { chat_id: number; draft_id: number }
/** Body of `sendChatAction`. */
export type TypingBody = InChat & InThread & { action: 'typing' }

/** A link preview would make a picture out of any link in an answer. */
const NO_PREVIEW = { is_disabled: true } as const

const html = { parse_mode: 'HTML' } as const

/** A numeric id as a number, which every method takes; anything else as it is (`@name` of a public group). */
const toChatId = (chat: Chat): number | string => {
  const id = Number(chat.id)
  return /^-?\d+$/.test(chat.id) && Number.isSafeInteger(id) ? id : chat.id
}

/** A message id; `null` for what cannot be one. */
const parseMessageId = (id: string | undefined): number | null => {
  const number = Number(id)
  return id !== undefined && /^\d+$/.test(id) && Number.isSafeInteger(number) && number > 0 ? number : null
}

const toThreadFields = (chat: Chat): InThread => {
  const thread = parseMessageId(chat.threadId)
  return thread === null ? {} : { message_thread_id: thread }
}

const toReplyFields = (part: OutboundTextPart | OutboundFilePart): InReply => {
  const target = parseMessageId(part.replyTo)
  return target === null ? {} : { reply_parameters: { message_id: target, allow_sending_without_reply: true } }
}

/** @see Bot API, `sendMessage` */
export const sendMessageBody = (part: OutboundTextPart): SendMessageBody => ({
  chat_id: toChatId(part.chat),
  text: part.body,
  ...(part.plain ? {} : html),
  ...toThreadFields(part.chat),
  ...toReplyFields(part),
  link_preview_options: NO_PREVIEW,
})

/**
 * `null` when `messageId` is not an id of Telegram's.
 * @see Bot API, `editMessageText`
 */
export function editMessageBody(part: OutboundTextPart, messageId: string): EditMessageBody | null {
  const id = parseMessageId(messageId)
  if (id === null) return null
  return {
    chat_id: toChatId(part.chat),
    message_id: id,
    text: part.body,
    ...(part.plain ? {} : html),
    link_preview_options: NO_PREVIEW,
  }
}

/**
 * `null` when the chat's id is no number: a draft goes to a person.
 * @see Bot API, `sendMessageDraft`
 */
export function draftBody(part: OutboundTextPart): DraftBody | null {
  const id = toChatId(part.chat)
  if (typeof id !== 'number') return null
  return {
    chat_id: id,
    draft_id: toDraftId(part.deliveryId),
    text: part.body,
    ...(part.plain ? {} : html),
    ...toThreadFields(part.chat),
  }
}

/** The same number for every preview of one delivery, 1 to 2^31 - 1 (FNV-1a, 32 bits, cut to 31). */
export function toDraftId(deliveryId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < deliveryId.length; at++) hash = Math.imul(hash ^ deliveryId.charCodeAt(at), 0x01000193)
  return hash >>> 1 || 1
}

/** @see Bot API, `sendChatAction` */
export const typingBody = (chat: Chat): TypingBody => ({
  chat_id: toChatId(chat),
  action: 'typing',
  ...toThreadFields(chat),
})

/** Method that sends a file. */
export type FileMethod = 'sendPhoto' | 'sendVoice' | 'sendDocument'

/** Which of its parameters a method takes the file in. */
const FILE_FIELD = { sendPhoto: 'photo', sendVoice: 'voice', sendDocument: 'document' } as const

/**
 * How a file is shown best: as a picture or a voice message where Telegram takes it as one, else as a document.
 * @see Bot API, `sendPhoto` (10 MB), `sendVoice` (OGG with OPUS)
 */
export function fileMethodFor(mime: string, sizeBytes: number, maxPhotoBytes: number): FileMethod {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'audio/ogg' || type === 'audio/opus') return 'sendVoice'
  const isPhoto = type === 'image/jpeg' || type === 'image/png' || type === 'image/webp'
  return isPhoto && sizeBytes <= maxPhotoBytes ? 'sendPhoto' : 'sendDocument'
}

/** The form of a file upload. @param blob The file's content, read while it is sent. */
export function fileForm(part: OutboundFilePart, method: FileMethod, blob: Blob): FormData {
  const form = new FormData()
  const fields = { chat_id: toChatId(part.chat), ...toThreadFields(part.chat), ...toReplyFields(part) }
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  // Without the control characters that would end a header line.
  form.set(FILE_FIELD[method], blob, part.name.replace(/\p{Cc}/gu, ' ').trim() || 'file')
  return form
}
