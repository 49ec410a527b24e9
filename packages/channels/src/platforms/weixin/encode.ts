import { CLIENT_VERSION } from './client.ts'
import type { Json } from '../wire/json.ts'

const BASE_INFO = { base_info: { channel_version: CLIENT_VERSION, bot_agent: 'Gatepost/1.0' } } as const

/** The body of a call that says nothing but who calls. */
export const bareBody = (): Json => BASE_INFO

/** @param cursor What the last stored answer named; empty: from the start. */
export const updatesBody = (cursor: string): Json => ({ get_updates_buf: cursor, ...BASE_INFO })

/** One item of a message: Weixin takes one per call. */
export type Item = TextItem | ImageItem | FileItem | VideoItem
interface TextItem {
  readonly type: 1
  readonly text_item: { readonly text: string }
}
interface ImageItem {
  readonly type: 2
  readonly image_item: { readonly media: Media; readonly mid_size: number }
}
interface FileItem {
  readonly type: 4
  readonly file_item: {
    readonly media: Media
    readonly file_name: string
    readonly len: string
    readonly md5: string
  }
}
interface VideoItem {
  readonly type: 5
  readonly video_item: { readonly media: Media; readonly video_size: number }
}
interface Media {
  readonly encrypt_query_param: string
  readonly aes_key: string
  readonly encrypt_type: 1
}

/** A message to send. */
export interface Message {
  readonly to: string
  /** The same for every attempt; whether Weixin looks at it is not known. */
  readonly clientId: string
  readonly contextToken: string
  readonly item: Item
}

/** Builds the body of `sendmessage`. */
export const messageBody = ({ to, clientId, contextToken, item }: Message): Json => ({
  msg: {
    from_user_id: '',
    to_user_id: to,
    client_id: clientId,
    message_type: 2,
    message_state: 2,
    context_token: contextToken,
    item_list: [item],
  },
  ...BASE_INFO,
})

/** Builds a text item. */
export const textItem = (text: string): Item => ({ type: 1, text_item: { text } })

/** How a file is shown. */
export type FileKind = 'image' | 'video' | 'file'

/** As a picture or a video where the app plays it as one, else as a file. */
export function chooseFileKind(mime: string, sizeBytes: number, maxImageBytes: number): FileKind {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'video/mp4') return 'video'
  return /^image\/(?:jpeg|png|gif|webp|bmp)$/.test(type) && sizeBytes <= maxImageBytes ? 'image' : 'file'
}

/** A file that was encrypted for the upload. */
export interface SealedFile {
  readonly kind: FileKind
  readonly name: string
  /** 32 hexadecimal digits, as is `fileKey`. */
  readonly key: string
  readonly fileKey: string
  readonly md5: string
  readonly plainBytes: number
  readonly cipherBytes: number
}

const MEDIA_TYPE = { image: 1, video: 2, file: 3 } as const

/** Builds the body of `getuploadurl`. */
export const uploadBody = (file: SealedFile, to: string): Json => ({
  filekey: file.fileKey,
  media_type: MEDIA_TYPE[file.kind],
  to_user_id: to,
  rawsize: file.plainBytes,
  rawfilemd5: file.md5,
  filesize: file.cipherBytes,
  no_need_thumb: true,
  aeskey: file.key,
  ...BASE_INFO,
})

/** @param param What the upload was answered with in `x-encrypted-param`. */
export function fileItem(file: SealedFile, param: string): Item {
  // The base64 of the hexadecimal text, not of the key.
  const media = {
    encrypt_query_param: param,
    aes_key: Buffer.from(file.key).toString('base64'),
    encrypt_type: 1,
  } as const
  if (file.kind === 'image') return { type: 2, image_item: { media, mid_size: file.cipherBytes } }
  if (file.kind === 'video') return { type: 5, video_item: { media, video_size: file.cipherBytes } }
  return { type: 4, file_item: { media, file_name: file.name, len: String(file.plainBytes), md5: file.md5 } }
}

/** Builds the body of `getconfig`. */
export const configBody = (userId: string, contextToken: string): Json => ({
  ilink_user_id: userId,
  context_token: contextToken,
  ...BASE_INFO,
})

/** @param status 1: begins or goes on, 2: ends. */
export const typingBody = (userId: string, ticket: string, status: 1 | 2): Json => ({
  ilink_user_id: userId,
  typing_ticket: ticket,
  status,
  ...BASE_INFO,
})

/** @param tokens Log-ins that are known here, so that Weixin can say that the account is one of them; at most 10. */
export const codeBody = (tokens: readonly string[]): Json => ({ local_token_list: tokens.slice(0, 10) })
