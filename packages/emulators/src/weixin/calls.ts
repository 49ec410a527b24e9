import { isRecord } from '../kit/http.ts'
import type { ChatFile } from '../kit/chat-store.ts'
import { throwFault, sessionExpired, type WeixinFault, WeixinRefusal } from './faults.ts'
import type { Host } from './logins.ts'
import { cipherSize, decrypt } from './media-store.ts'
import { rawNumber, makeToken } from './message-ids.ts'
import { isAccepted, WEIXIN_BOT, type WeixinState } from './state.ts'

/** An HTTP call. */
interface WeixinCall {
  readonly state: WeixinState
  readonly token: string
  readonly host: Host
  readonly body: Readonly<Record<string, unknown>>
  readonly query: URLSearchParams
  readonly fault: WeixinFault | null
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal
}
type Answer = Readonly<Record<string, unknown>>

/** A method of the API. */
export interface WeixinMethod {
  readonly name: string
  /** Allowed HTTP methods. */
  readonly by: readonly string[]
  /** Whether it works without a token. */
  readonly open?: true
  /** Performs the call. @throws {WeixinRefusal} */
  run(call: WeixinCall): Answer | Promise<Answer>
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Methods by path below `/ilink/bot/`. */
export const METHODS: Readonly<Record<string, WeixinMethod>> = {
  getupdates: { name: 'getupdates', by: ['POST'], run: getUpdates },
  sendmessage: { name: 'sendmessage', by: ['POST'], run: ({ state, body }) => sendMessage(state, body['msg']) },
  getconfig: { name: 'getconfig', by: ['POST'], run: getConfig },
  sendtyping: { name: 'sendtyping', by: ['POST'], run: sendTyping },
  getuploadurl: { name: 'getuploadurl', by: ['POST'], run: getUploadUrl },
  'msg/notifystart': { name: 'notifystart', by: ['POST'], run: () => ({ ret: 0 }) },
  'msg/notifystop': { name: 'notifystop', by: ['POST'], run: () => ({ ret: 0 }) },
  get_bot_qrcode: { name: 'get_bot_qrcode', by: ['POST', 'GET'], open: true, run: getQrCode },
  get_qrcode_status: { name: 'get_qrcode_status', by: ['GET'], open: true, run: getQrCodeStatus },
}

async function getUpdates({ state, token, host, body, fault, gone }: WeixinCall): Promise<Answer> {
  if (fault?.kind === 'cursor_reset') state.inbound.reset()
  if (fault?.kind === 'hold') await state.clock.sleep(fault.ms, gone)
  const { messages, cursor } = await state.inbound.poll(toText(body['get_updates_buf']), state.settings.holdMs, gone)
  if (!isAccepted(state, token, host)) throw sessionExpired()
  return {
    ret: 0,
    msgs: messages.map((message) => message.body),
    get_updates_buf: cursor,
    longpolling_timeout_ms: state.settings.holdMs,
  }
}

function getConfig({ state, body }: WeixinCall): Answer {
  const userId = toText(body['ilink_user_id'])
  const token = toText(body['context_token'])
  if (!state.contexts.isLive(token, userId)) throw new WeixinRefusal(-2, 'unknown error')
  return { ret: 0, typing_ticket: toTypingTicket(userId) }
}

/** Tickets are valid for more than a day, so each person's never changes. */
const toTypingTicket = (userId: string): string => makeToken('typing_ticket', userId)

/** Lifetime of a typing indicator, in ms. */
const TYPING_MS = 10_000

function sendTyping({ state, body }: WeixinCall): Answer {
  const userId = toText(body['ilink_user_id'])
  const { status } = body
  if (body['typing_ticket'] !== toTypingTicket(userId) || (status !== 1 && status !== 2))
    throw new WeixinRefusal(-2, 'unknown error')
  if (state.settings.typingCounts && status === 1 && state.contexts.spendNewest(userId) !== null)
    throw new WeixinRefusal(-2, '')
  state.chatStore.setTyping(userId, status === 1 ? TYPING_MS : 0)
  return { ret: 0 }
}

function getUploadUrl({ state, body, fault }: WeixinCall): Answer {
  const { filekey, media_type: mediaType, rawsize, rawfilemd5, filesize, aeskey } = body
  const isWhole =
    /^[0-9a-f]{32}$/i.test(toText(filekey)) &&
    /^[0-9a-f]{32}$/i.test(toText(aeskey)) &&
    /^[0-9a-f]{32}$/i.test(toText(rawfilemd5)) &&
    [1, 2, 3, 4].includes(Number(mediaType)) &&
    Number.isInteger(rawsize) &&
    filesize === cipherSize(Number(rawsize))
  if (!isWhole || toText(body['to_user_id']) === '') throw new WeixinRefusal(-1, 'invalid upload parameters')
  const parameter = state.media.announce({
    fileKey: toText(filekey),
    key: Buffer.from(toText(aeskey), 'hex'),
    rawSize: Number(rawsize),
    rawMd5: toText(rawfilemd5).toLowerCase(),
    cipherSize: Number(filesize),
  })
  const query = new URLSearchParams({ encrypted_query_param: parameter, filekey: toText(filekey) })
  return {
    ret: 0,
    upload_param: parameter,
    ...(fault?.kind !== 'no_full_url' && {
      upload_full_url: `${state.addresses.first}/c2c/upload?${query.toString()}`,
    }),
  }
}

function getQrCode({ state, body, query }: WeixinCall): Answer {
  if (query.get('bot_type') !== '3') throw new WeixinRefusal(-1, 'invalid bot_type')
  const known = Array.isArray(body['local_token_list']) ? body['local_token_list'].map(toText) : []
  if (known.length > 10) throw new WeixinRefusal(-1, 'invalid local_token_list')
  const id = state.logins.start(known)
  return { ret: 0, qrcode: id, qrcode_img_content: `${state.addresses.first}/q/${id}?bot_type=3` }
}

async function getQrCodeStatus({ state, query, host, gone }: WeixinCall): Promise<Answer> {
  return { ret: 0, ...(await state.logins.poll(query.get('qrcode') ?? '', query.get('verify_code'), host, gone)) }
}

/** Performs a call, with its fault. @throws {WeixinRefusal} */
export async function runCall(method: WeixinMethod, call: WeixinCall): Promise<Answer> {
  throwFault(call.fault)
  const answer = await method.run(call)
  return call.fault?.kind === 'empty_answer' ? {} : answer
}

/** Returns the id of the person that a call refers to, if any. */
export function findChatId(body: Readonly<Record<string, unknown>>): string | undefined {
  const message = isRecord(body['msg']) ? body['msg'] : body
  const id = message['to_user_id'] ?? message['ilink_user_id']
  return typeof id === 'string' ? id : undefined
}

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields => (isRecord(value) ? value : {})

interface ShownContent {
  readonly text: string
  readonly files: readonly ChatFile[]
}

/** Handles `sendmessage`. @throws {WeixinRefusal} */
function sendMessage(state: WeixinState, message: unknown): Fields {
  const fields = toFields(message)
  const userId = toText(fields['to_user_id'])
  const items = Array.isArray(fields['item_list']) ? fields['item_list'] : []
  const isWhole = userId !== '' && toText(fields['client_id']) !== '' && fields['message_type'] === 2
  if (!isWhole || items.length !== 1) throw new WeixinRefusal(-1, 'invalid message')
  const shown = toShownContent(state, toFields(items[0]))
  const refused = state.contexts.spend(toText(fields['context_token']), userId)
  if (refused !== null) throw new WeixinRefusal(-2, refused)
  const messageId = state.ids.next()
  // a message in generation isn't shown
  if (fields['message_state'] === 2) {
    state.chatStore.addBotMessage({ chatId: userId, messageId, name: WEIXIN_BOT.name, ...shown })
    state.chatStore.setTyping(userId, 0)
  }
  return { ret: 0, message_id: rawNumber(messageId) }
}

function toShownContent(state: WeixinState, item: Fields): ShownContent {
  switch (item['type']) {
    case 1: {
      const text = toText(toFields(item['text_item'])['text'])
      if (text.trim() === '' || text.length > state.settings.textLimit) throw new WeixinRefusal(-1, 'invalid text')
      return { text, files: [] }
    }
    case 2:
      return toFileContent(state, toFields(item['image_item']), 'image', 'mid_size')
    case 3:
      return toFileContent(state, toFields(item['voice_item']), 'voice', null)
    case 4: {
      const file = toFields(item['file_item'])
      return toFileContent(state, file, toText(file['file_name']), null)
    }
    case 5:
      return toFileContent(state, toFields(item['video_item']), 'video', 'video_size')
    default:
      throw new WeixinRefusal(-1, 'invalid item type')
  }
}

/** @param sizeField Field with the size of the encrypted file. */
function toFileContent(state: WeixinState, item: Fields, name: string, sizeField: string | null): ShownContent {
  const media = toFields(item['media'])
  const cipher = state.media.get(toText(media['encrypt_query_param']))
  if (cipher === null || name === '' || media['encrypt_type'] !== 1) throw new WeixinRefusal(-1, 'invalid media')
  if (sizeField !== null && item[sizeField] !== cipher.length) throw new WeixinRefusal(-1, `invalid ${sizeField}`)
  const key = Buffer.from(Buffer.from(toText(media['aes_key']), 'base64').toString('latin1'), 'hex')
  // with a wrong key, the phone shows a file that can't be opened
  const bytes = decrypt(cipher, key) ?? cipher
  if (item['len'] !== undefined && item['len'] !== String(bytes.length)) throw new WeixinRefusal(-1, 'invalid len')
  return { text: '', files: [{ name, bytes }] }
}
