import { isRecord } from '../kit/body.ts'
import type { ChatFile } from '../kit/world.ts'
import { WeixinRefusal } from './faults.ts'
import { decrypt } from './media-store.ts'
import { bareNumber } from './message-ids.ts'
import { WEIXIN_BOT, type WeixinState } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

interface Shown {
  readonly text: string
  readonly files: readonly ChatFile[]
}

/** Answers `sendmessage`. @throws {WeixinRefusal} */
export function sendMessage(state: WeixinState, message: unknown): Fields {
  const fields = fieldsOf(message)
  const userId = textOf(fields['to_user_id'])
  const items = Array.isArray(fields['item_list']) ? fields['item_list'] : []
  const isWhole = userId !== '' && textOf(fields['client_id']) !== '' && fields['message_type'] === 2
  if (!isWhole || items.length !== 1) throw new WeixinRefusal(-1, 'invalid message')
  const shown = shownOf(state, fieldsOf(items[0]))
  const refused = state.contexts.spend(textOf(fields['context_token']), userId)
  if (refused !== null) throw new WeixinRefusal(-2, refused)
  const messageId = state.ids.next()
  // people are not shown what is still being generated
  if (fields['message_state'] === 2) {
    state.world.shown({ chatId: userId, messageId, name: WEIXIN_BOT.name, ...shown })
    state.world.typing(userId, 0)
  }
  return { ret: 0, message_id: bareNumber(messageId) }
}

function shownOf(state: WeixinState, item: Fields): Shown {
  switch (item['type']) {
    case 1: {
      const text = textOf(fieldsOf(item['text_item'])['text'])
      if (text.trim() === '' || text.length > state.settings.textLimit) throw new WeixinRefusal(-1, 'invalid text')
      return { text, files: [] }
    }
    case 2:
      return fileOf(state, fieldsOf(item['image_item']), 'image', 'mid_size')
    case 3:
      return fileOf(state, fieldsOf(item['voice_item']), 'voice', null)
    case 4: {
      const file = fieldsOf(item['file_item'])
      return fileOf(state, file, textOf(file['file_name']), null)
    }
    case 5:
      return fileOf(state, fieldsOf(item['video_item']), 'video', 'video_size')
    default:
      throw new WeixinRefusal(-1, 'invalid item type')
  }
}

/** @param sizeField Where the size of the cipher text is said. */
function fileOf(state: WeixinState, item: Fields, name: string, sizeField: string | null): Shown {
  const media = fieldsOf(item['media'])
  const cipher = state.media.get(textOf(media['encrypt_query_param']))
  if (cipher === null || name === '' || media['encrypt_type'] !== 1) throw new WeixinRefusal(-1, 'invalid media')
  if (sizeField !== null && item[sizeField] !== cipher.length) throw new WeixinRefusal(-1, `invalid ${sizeField}`)
  const key = Buffer.from(Buffer.from(textOf(media['aes_key']), 'base64').toString('latin1'), 'hex')
  // with a wrong key the phone shows a file that cannot be opened
  const bytes = decrypt(cipher, key) ?? cipher
  if (item['len'] !== undefined && item['len'] !== String(bytes.length)) throw new WeixinRefusal(-1, 'invalid len')
  return { text: '', files: [{ name, bytes }] }
}
