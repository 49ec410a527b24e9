import type { FormPart } from '../kit/multipart.ts'
import { type Answer, ok, refusal } from './answer.ts'
import type { FeishuState } from './state.ts'

const MEBIBYTE = 1024 * 1024
const IMAGE_BYTES = 10 * MEBIBYTE
const FILE_BYTES = 30 * MEBIBYTE
const DOWNLOAD_BYTES = 100 * MEBIBYTE
const FILE_TYPES = ['opus', 'mp4', 'pdf', 'doc', 'xls', 'ppt', 'stream']

/** Answers an upload of a picture. */
export function uploadImage(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const image = form?.find(({ name }) => name === 'image')
  const type = field(form, 'image_type')
  if (!image || !['message', 'avatar'].includes(type)) return refusal(234001)
  const refused = sizeRefusal(image, IMAGE_BYTES)
  if (refused) return refused
  return ok({ image_key: state.keepFile('img_v3_', type, image.fileName ?? 'image', image.mimeType, image.bytes) })
}

/** Answers an upload of a file. */
export function uploadFile(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const file = form?.find(({ name }) => name === 'file')
  const [type, name] = [field(form, 'file_type'), field(form, 'file_name')]
  if (!file || name === '' || !FILE_TYPES.includes(type)) return refusal(234001)
  const refused = sizeRefusal(file, FILE_BYTES)
  if (refused) return refused
  return ok({ file_key: state.keepFile('file_v3_', type, name, file.mimeType, file.bytes) })
}

/** Answers the download of a file out of a message. */
export function download(state: FeishuState, messageId: string, key: string, type: string | null): Answer {
  const message = state.messages.get(messageId)
  const file = state.file(key)
  if (type !== 'image' && type !== 'file') return refusal(234001)
  if (!message || message.deleted || !file || !message.fileKeys.includes(key)) return refusal(234003)
  if ((type === 'image') !== key.startsWith('img_')) return refusal(234003)
  if (file.bytes.length > DOWNLOAD_BYTES) return refusal(234006)
  const headers = {
    'content-type': file.mimeType === '' ? 'application/octet-stream' : file.mimeType,
    'content-disposition': `attachment; filename="${encodeURIComponent(file.name)}"`,
  }
  return { status: 200, body: file.bytes, headers }
}

const sizeRefusal = ({ bytes }: FormPart, most: number): Answer | null =>
  bytes.length === 0 ? refusal(234010) : bytes.length > most ? refusal(234006) : null

const field = (form: readonly FormPart[] | null, name: string): string => {
  const part = form?.find((one) => one.name === name && one.fileName === null)
  return part ? Buffer.from(part.bytes).toString('utf8') : ''
}
