import { fileAddress } from './control.js'
import { putFormatted } from './format.js'
import { arrange, formatSize, fullName, icon, make } from './parts.js'
import { texts } from './texts.js'

const REPLY = 'M10 7 5 12l5 5m-5-5h9a5 5 0 0 1 5 5v1'
const EDIT = 'm5 19 1-4L16.5 4.5a2 2 0 0 1 3 3L9 18l-4 1Z'

/** Drawn messages by id. An unchanged message keeps its element, and so its focus and position. */
let drawn = new Map()

/**
 * Shows a conversation in `list`, which stays scrolled to its end.
 * @param view `{me, inGroup, reply(id, text), edit(id, text)}`.
 */
export function drawMessages(list, { chat, messages, drafts }, view) {
  const isAtEnd = drawn.size === 0 || list.scrollHeight - list.scrollTop - list.clientHeight < 80
  const now = new Map()
  const put = (key, what, draw) => {
    const words = JSON.stringify([view.me, what])
    const known = drawn.get(key)
    now.set(key, known?.words === words ? known : { words, item: draw() })
  }
  for (const shown of messages) put(`${chat.id}:${shown.messageId}`, shown, () => messageItem(shown, view))
  for (const draft of drafts) put(`${chat.id}:draft ${draft.draftId}`, draft, () => draftItem(draft))
  if (now.size === 0) put('empty', '', () => make('li', 'empty', texts.empty))
  arrange(
    list,
    [...now.values()].map(({ item }) => item),
  )
  drawn = now
  if (isAtEnd) list.scrollTop = list.scrollHeight
}

/** Resets the messages, so that the next chat is shown from its end. */
export const resetMessages = () => {
  drawn = new Map()
}

function messageItem({ message, reactions, method, text }, view) {
  const isMine = message.from?.id === view.me
  const bubble = make('div', 'bubble')
  if (view.inGroup && !isMine) bubble.append(make('p', 'from', fullName(message.from ?? { first_name: '' })))
  if (message.reply_to_message) bubble.append(quoteLine(message))
  putFile(bubble, message)
  const body = make('div', 'body')
  putFormatted(body, text, message.entities ?? message.caption_entities)
  if (text !== '') bubble.append(body)
  bubble.append(metaLine(message, isMine))
  if (reactions.length > 0) bubble.append(make('p', 'reactions', reactions.map(({ emoji }) => emoji ?? '').join(' ')))
  const acts = make(
    'div',
    'acts',
    act(REPLY, `${texts.reply}: ${text.slice(0, 40)}`, () => view.reply(message.message_id, text)),
  )
  if (isMine) acts.append(act(EDIT, `${texts.edit}: ${text.slice(0, 40)}`, () => view.edit(message.message_id, text)))
  return make('li', `message ${isMine ? 'mine' : 'theirs'}${method === '' ? '' : ' of-bot'}`, bubble, acts)
}

function metaLine({ date, edit_date: editDate }, isMine) {
  const time = new Date(date * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const meta = make('p', 'meta', editDate ? texts.edited(time) : time)
  if (isMine) meta.append(icon('m5 12.5 4.5 4.5L19 7.5'))
  return meta
}

function act(path, label, run) {
  const button = make('button', 'act', icon(path))
  button.type = 'button'
  button.title = label.slice(0, label.indexOf(':'))
  button.setAttribute('aria-label', label)
  button.addEventListener('click', run)
  return button
}

function quoteLine({ reply_to_message: answered, quote }) {
  const words = quote?.text ?? answered.text ?? answered.caption ?? texts.file
  return make('p', 'answered', make('strong', '', fullName(answered.from)), make('span', '', words.slice(0, 120)))
}

function putFile(bubble, message) {
  const photo = message.photo?.at(-1)
  const file = photo ?? message.document ?? message.voice ?? message.audio ?? message.video
  if (!file) return
  const address = fileAddress(file.file_id)
  if (photo) {
    const image = make('img', 'photo')
    Object.assign(image, {
      src: address,
      alt: message.caption ?? texts.photo,
      width: photo.width,
      height: photo.height,
    })
    return bubble.append(image)
  }
  const name = file.file_name ?? texts.voiceMessage
  const link = make('a', 'file', make('strong', '', name), make('small', '', formatSize(file.file_size)))
  Object.assign(link, { href: address, download: file.file_name ?? 'voice.oga' })
  bubble.append(link)
}

function draftItem({ text, entities }) {
  const body = make('div', 'body')
  putFormatted(body, text, entities)
  body.append(make('span', 'caret'))
  const item = make('li', 'message theirs of-bot draft', make('div', 'bubble', body, make('p', 'meta', texts.writing)))
  item.setAttribute('aria-live', 'off')
  return item
}
